--- Find out whether a job is finished, and how it ended.
---
--- @key    base  what the queue's keys begin with
--- @arg    id    the job
--- @return {completed, JSON result} | {failed, why} | {} or an @error
--- @error  -1    no such job
--- @bullmq isFinished
--- @include queue_at
local q = queue_at(KEYS[1])
local key = q.base .. ARGV[1]
if redis.call("EXISTS", key) == 0 then
  return -1
end
if redis.call("ZSCORE", q.completed, ARGV[1]) then
  return { "completed", redis.call("HGET", key, "returnvalue") or "null" }
end
if redis.call("ZSCORE", q.failed, ARGV[1]) then
  return { "failed", redis.call("HGET", key, "failedReason") or "" }
end
return {}
