--- Take up to `limit` ids that `wanted` accepts out of a list; gives them, oldest (tail) first.
---
--- Looks at `look` ids from position `first` on, counted from the oldest; also gives how many it saw.
--- All others keep their places. Those taken are marked, and go in one walk: a LREM of each would walk
--- the list, which may hold millions, once for each.
--- @include oldest_first
local function sift_list(list, first, look, limit, wanted)
  local MARK = "0:taken" -- no job has such an id
  local taken, places, seen = {}, {}, 0
  local ids = limit > 0 and oldest_first(list, first, first + look - 1) or {}
  while seen < #ids and #taken < limit do
    seen = seen + 1
    if wanted(ids[seen]) then
      taken[#taken + 1] = ids[seen]
      places[#places + 1] = -first - seen
    end
  end
  -- Only now that nothing can fail any more: a script that stops half-way leaves what it wrote.
  for _, place in ipairs(places) do
    redis.call("LSET", list, place, MARK)
  end
  if #places > 0 then
    redis.call("LREM", list, -#places, MARK)
  end
  return taken, seen
end
