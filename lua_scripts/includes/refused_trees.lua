--- Which trees of a batch can't be added, before anything is written: tree -> -5 or -7.
---
--- -5: the parent its root shall hang under does not exist. -7: one of its jobs exists, or comes
--- twice, and has another living parent.
local function refused_trees(nodes)
  local refused, planned = {}, {}
  for _, node in ipairs(nodes) do
    local job = node.job
    local wanted = job.more.parentKey
    local key = node.line.q.base .. job.id
    if wanted and not planned[wanted] and redis.call("EXISTS", wanted) == 0 then
      refused[node.tree] = refused[node.tree] or -5
    elseif wanted and job.id ~= "" then
      local current = planned[key] or redis.call("HGET", key, "parentKey")
      if current and current ~= true and current ~= wanted
        and (planned[current] or redis.call("EXISTS", current) == 1) then
        refused[node.tree] = refused[node.tree] or -7
      end
    end
    planned[key] = planned[key] or wanted or true
  end
  return refused
end
