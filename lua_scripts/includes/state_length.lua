--- How many jobs are in a state, by the state's key: wait, active, delayed, ...
---
--- BullMQ 4's wake-up mark at the tail of a list is no job: it goes, or is not counted.
--- @include drop_mark
local function state_length(q, state)
  local key = q.base .. state
  if state == "active" then
    return redis.call("LLEN", key)
  elseif state == "wait" or state == "paused" then
    local marks = drop_mark(key)
    return redis.call("LLEN", key) - marks
  end
  return redis.call("ZCARD", key)
end
