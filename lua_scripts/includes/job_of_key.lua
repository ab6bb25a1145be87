--- Take a full job key apart: {q, id}.
---
--- An id may hold colons, so where the part before the last one is no queue (each has a meta hash),
--- a shorter one is looked for. Of jobs of unknown queues the id is what stands behind the last colon.
--- @include queue_at
local function job_of_key(key)
  local base = string.match(key, "^(.*:)")
  while base do
    if redis.call("EXISTS", base .. "meta") == 1 then
      return { q = queue_at(base), id = string.sub(key, #base + 1) }
    end
    base = string.match(base, "^(.*:).*:$")
  end
  local whole, id = string.match(key, "^(.*:)(.*)$")
  return { q = queue_at(whole), id = id }
end
