--- The queue and id of a job's parent, or nil.
---
--- stored is {parentKey, parent}. The JSON is asked first: a parent id with colons can't be read
--- from the key alone.
--- @include queue_at
local function parent_of(stored)
  if not stored[1] then
    return nil
  end
  local known, parent = pcall(cjson.decode, stored[2] or "")
  if known and type(parent) == "table" and parent.queueKey and parent.id then
    return queue_at(parent.queueKey .. ":"), tostring(parent.id)
  end
  local base, id = string.match(stored[1], "^(.*:)(.-)$")
  return queue_at(base), id
end
