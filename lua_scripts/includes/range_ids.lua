--- Ids of one state by their positions, the last included: oldest (next to run, first due) first, or newest.
--- @include oldest_first
local function range_ids(q, state, first, last, asc)
  local key = q.base .. state
  if state ~= "wait" and state ~= "active" and state ~= "paused" then
    return redis.call(asc and "ZRANGE" or "ZREVRANGE", key, first, last)
  end
  return asc and oldest_first(key, first, last) or redis.call("LRANGE", key, first, last)
end
