--- Whether any job of a batch that is to complete has open or failed children: asked for all at once.
local function some_have_children(q, outcomes)
  local keys = {}
  for _, outcome in ipairs(outcomes) do
    if outcome.target == "completed" then
      local key = q.base .. outcome.id
      keys[#keys + 1] = key .. ":dependencies"
      keys[#keys + 1] = key .. ":unsuccessful"
    end
  end
  return #keys > 0 and redis.call("EXISTS", unpack(keys)) > 0
end
