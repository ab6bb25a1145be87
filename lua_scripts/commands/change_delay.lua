--- Let a delayed job run at another time.
---
--- @key    base   what the queue's keys begin with
--- @arg    id     the job
--- @arg    delay  ms from now, stored as given; 0 or less is due at once
--- @arg    now    ms, the caller's clock
--- @return 0, or an @error
--- @error  -1     no such job
--- @error  -3     the job is not delayed
--- @emits  delayed
--- @bullmq changeDelay
--- @include queue_at
--- @include delay_until
--- @include max_events
--- @include mark_next_due
local q = queue_at(KEYS[1])
local job_id, delay = ARGV[1], ARGV[2]
local key = q.base .. job_id
if redis.call("EXISTS", key) == 0 then
  return -1
end
if not redis.call("ZSCORE", q.delayed, job_id) then
  return -3
end
local due = tonumber(ARGV[3]) + math.max(tonumber(delay), 0)
delay_until(q, job_id, due)
redis.call("HSET", key, "delay", delay)
redis.call("XADD", q.events, "MAXLEN", "~", max_events(q), "*",
  "event", "delayed", "jobId", job_id, "delay", due)
mark_next_due(q)
return 0
