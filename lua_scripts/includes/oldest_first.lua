--- Ids of a list by their positions from the tail, where the oldest stands: that one is first.
---
--- Positions are as in LRANGE: the last is included, negative ones count from the other end.
local function oldest_first(list, first, last)
  local newest_first = redis.call("LRANGE", list, -1 - last, -1 - first)
  local ids = {}
  for i = #newest_first, 1, -1 do
    ids[#ids + 1] = newest_first[i]
  end
  return ids
end
