--- Cut a child loose from its parent, releasing the parent if that was its last open child.
---
--- @key    base        what the queue's keys begin with
--- @arg    id          the child
--- @arg    parent_key  job key of its parent, or empty
--- @return 1 cut loose | 0 the parent does not wait for it, or an @error
--- @error  -1          no such job
--- @error  -5          no such parent
--- @emits  waiting
--- @bullmq removeChildDependency
--- @include queue_at
--- @include unlink_from_parent
local q = queue_at(KEYS[1])
local job_id, parent_key = ARGV[1], ARGV[2]
local key = q.base .. job_id
if redis.call("EXISTS", key) == 0 then
  return -1
end
if parent_key == "" or redis.call("EXISTS", parent_key) == 0 then
  return -5
end
if redis.call("SISMEMBER", parent_key .. ":dependencies", key) == 0 then
  return 0
end
unlink_from_parent(q, job_id, false, parent_key)
redis.call("HDEL", key, "parentKey", "parent")
return 1
