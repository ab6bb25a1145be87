--- Park an active job until its children finish.
---
--- @key    base       what the queue's keys begin with
--- @arg    id         the job
--- @arg    token      its lock token; "0" asks for no lock
--- @arg    now        ms, the caller's clock
--- @arg    child_key  job key of the one child to wait for, or empty for all
--- @return 0 parked | 1 nothing to wait for, or an @error
--- @error  -1         no such job
--- @error  -2         the job has no lock
--- @error  -3         the job is not active
--- @error  -6         the lock is another worker's
--- @error  -9         a child has failed the job
--- @emits  waiting-children
--- @bullmq moveToWaitingChildren
--- @include queue_at
--- @include release_lock
local q = queue_at(KEYS[1])
local job_id, child_key = ARGV[1], ARGV[4]
local key = q.base .. job_id
local dependencies = key .. ":dependencies"
if redis.call("EXISTS", key) == 0 then
  return -1
end
if redis.call("EXISTS", key .. ":unsuccessful") == 1 then
  return -9
end
local is_open
if child_key == "" then
  is_open = redis.call("EXISTS", dependencies) == 1
else
  is_open = redis.call("SISMEMBER", dependencies, child_key) == 1
end
if not is_open then
  return 1
end
local verdict = release_lock(q, job_id, ARGV[2])
if verdict ~= 0 then
  return verdict
end
if redis.call("LREM", q.active, -1, job_id) == 0 then
  return -3
end
redis.call("ZADD", q.waiting_children, ARGV[3], job_id)
redis.call("XADD", q.events, "*", "event", "waiting-children", "jobId", job_id, "prev", "active")
return 0
