--- Take up to `limit` ids that `wanted` accepts out of a sorted set; gives them, lowest score first.
---
--- Looks at `look` ids from position `first` on; also gives how many it saw.
--- @include in_chunks
local function sift_set(set, first, look, limit, wanted)
  local taken, seen = {}, 0
  local ids = limit > 0 and redis.call("ZRANGE", set, first, first + look - 1) or {}
  while seen < #ids and #taken < limit do
    seen = seen + 1
    if wanted(ids[seen]) then
      taken[#taken + 1] = ids[seen]
    end
  end
  in_chunks("ZREM", set, taken)
  return taken, seen
end
