--- Put an active job back to the front of the line; spends no attempt.
---
--- Without effect on a job that is not active.
---
--- @key    base   what the queue's keys begin with
--- @arg    id     the job
--- @arg    token  its lock token; "0" asks for no lock
--- @return for how many ms the queue is rate limited, 0 if it is not, or an @error
--- @error  -1     no such job
--- @error  -2     the job has no lock
--- @error  -6     the lock is another worker's
--- @emits  waiting
--- @bullmq moveJobFromActiveToWait
--- @include queue_at
--- @include release_lock
--- @include line_up
--- @include push_first
--- @include is_blocked
--- @include max_events
local q = queue_at(KEYS[1])
local job_id = ARGV[1]
local key = q.base .. job_id
if redis.call("EXISTS", key) == 0 then
  return -1
end
local verdict = release_lock(q, job_id, ARGV[2])
if verdict ~= 0 then
  return verdict
end
if redis.call("LREM", q.active, -1, job_id) > 0 then
  local priority = tonumber(redis.call("HGET", key, "priority")) or 0
  if priority == 0 then
    line_up(q, job_id, 0, "RPUSH", is_blocked(q))
  else
    push_first(q, job_id, priority)
  end
  redis.call("XADD", q.events, "MAXLEN", "~", max_events(q), "*",
    "event", "waiting", "jobId", job_id, "prev", "active")
end
return math.max(redis.call("PTTL", q.limiter), 0)
