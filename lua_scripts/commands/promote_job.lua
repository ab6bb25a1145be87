--- Let a delayed job run now.
---
--- @key    base  what the queue's keys begin with
--- @arg    id    the job
--- @return 0, or an @error
--- @error  -3    the job is not delayed
--- @emits  waiting
--- @bullmq promote
--- @include queue_at
--- @include line_up
--- @include is_blocked
local q = queue_at(KEYS[1])
local job_id = ARGV[1]
local key = q.base .. job_id
if redis.call("ZREM", q.delayed, job_id) == 0 then
  return -3
end
-- A wake-up mark that BullMQ 4 left in wait would be taken for a job.
local head = redis.call("LINDEX", q.wait, 0)
if head and string.sub(head, 1, 2) == "0:" then
  redis.call("LPOP", q.wait)
end
local priority = tonumber(redis.call("HGET", key, "priority")) or 0
line_up(q, job_id, priority, "LPUSH", is_blocked(q))
redis.call("XADD", q.events, "*", "event", "waiting", "jobId", job_id, "prev", "delayed")
redis.call("HSET", key, "delay", "0")
return 0
