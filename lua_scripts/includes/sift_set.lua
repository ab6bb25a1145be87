--- Take up to `limit` ids that `wanted` accepts out of a sorted set; gives them, lowest score first.
---
--- Looks at `look` ids at least, if it has not found enough before.
--- @include in_chunks
local function sift_set(set, limit, look, wanted)
  local taken, looked = {}, 0
  local more = limit > 0
  while more do
    local page = redis.call("ZRANGE", set, looked, looked + limit - 1)
    for _, job_id in ipairs(page) do
      if #taken < limit and wanted(job_id) then
        taken[#taken + 1] = job_id
      end
    end
    looked = looked + #page
    more = #taken < limit and looked < look and #page == limit
  end
  in_chunks("ZREM", set, taken)
  return taken
end
