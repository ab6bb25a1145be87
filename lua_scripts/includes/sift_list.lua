--- Take up to `limit` ids that `wanted` accepts out of a list; gives them, oldest (tail) first.
---
--- Looks at `look` ids at least, if it has not found enough before. All others keep their order. Only
--- what was looked at is written anew: a LREM for each would walk the list, which may hold millions.
--- @include in_chunks
--- @include oldest_first
local function sift_list(list, limit, look, wanted)
  local taken, kept, looked = {}, {}, 0
  local more = limit > 0
  while more do
    local page = oldest_first(list, looked, looked + limit - 1)
    for _, job_id in ipairs(page) do
      local into = #taken < limit and wanted(job_id) and taken or kept
      into[#into + 1] = job_id
    end
    looked = looked + #page
    more = #taken < limit and looked < look and #page == limit
  end
  if #taken > 0 then
    local newest_first = {}
    for i = #kept, 1, -1 do
      newest_first[#newest_first + 1] = kept[i]
    end
    redis.call("LTRIM", list, 0, -looked - 1)
    in_chunks("RPUSH", list, newest_first)
  end
  return taken
end
