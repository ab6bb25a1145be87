--- Remove ids from a list: one by one while they are few, by one rewrite where they are many.
---
--- Each LREM walks the list, so thousands of them would hold up the server for seconds.
--- @include in_chunks
local function remove_from_list(key, ids)
  if #ids < 100 then
    for _, id in ipairs(ids) do
      redis.call("LREM", key, 1, id)
    end
    return
  end
  local gone, kept = {}, {}
  for _, id in ipairs(ids) do
    gone[id] = true
  end
  for _, id in ipairs(redis.call("LRANGE", key, 0, -1)) do
    if gone[id] then
      gone[id] = nil
    else
      kept[#kept + 1] = id
    end
  end
  redis.call("DEL", key)
  in_chunks("RPUSH", key, kept)
end
