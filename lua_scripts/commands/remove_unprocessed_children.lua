--- Delete the descendants of a parent that are neither finished nor being worked on; it stays.
---
--- All of them go at once, however many.
---
--- @key    base  what the queue's keys begin with
--- @arg    id    the parent
--- @return 0
--- @emits  removed | waiting
--- @bullmq removeUnprocessedChildren
--- @include queue_at
--- @include job_of_key
--- @include remove_trees
local function idle_children_of(key)
  local idle = {}
  for _, child_key in ipairs(redis.call("SMEMBERS", key .. ":dependencies")) do
    if redis.call("EXISTS", child_key .. ":lock") == 0 then
      local child = job_of_key(child_key)
      if not redis.call("ZSCORE", child.q.failed, child.id) then
        idle[#idle + 1] = child_key
      end
    end
  end
  return idle
end

local parent_key = queue_at(KEYS[1]).base .. ARGV[1]
local roots = {}
for position, child_key in ipairs(idle_children_of(parent_key)) do
  local child = job_of_key(child_key)
  child.parent_key = parent_key
  roots[position] = child
end
remove_trees(roots, idle_children_of)
return 0
