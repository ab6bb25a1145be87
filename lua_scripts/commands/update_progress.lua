--- Store how far a job is and say so.
---
--- @key    base      what the queue's keys begin with
--- @arg    id        the job
--- @arg    progress  JSON, stored as it is
--- @return 0, or an @error
--- @error  -1        no such job
--- @emits  progress
--- @bullmq updateProgress
--- @include queue_at
--- @include max_events
local q = queue_at(KEYS[1])
local job_id, progress = ARGV[1], ARGV[2]
if redis.call("EXISTS", q.base .. job_id) == 0 then
  return -1
end
redis.call("HSET", q.base .. job_id, "progress", progress)
redis.call("XADD", q.events, "MAXLEN", "~", max_events(q), "*",
  "event", "progress", "jobId", job_id, "data", progress)
return 0
