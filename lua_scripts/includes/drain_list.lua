--- Wipe up to `limit` jobs of a list but the next runs of schedulers; whether any was wiped.
---
--- What is spared goes round to the head of the list, in its order.
--- @include in_chunks
--- @include is_next_run
--- @include wipe_job
local function drain_list(q, list, limit)
  local popped = redis.call("RPOP", list, limit) or {}
  local spared = {}
  for i = #popped, 1, -1 do
    if is_next_run(q, popped[i]) then
      table.insert(spared, 1, popped[i])
    else
      wipe_job(q, popped[i])
    end
  end
  in_chunks("LPUSH", list, spared)
  return #spared < #popped
end
