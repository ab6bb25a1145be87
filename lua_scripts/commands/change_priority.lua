--- Change a job's priority, and its place in line if it stands in one.
---
--- @key    base      what the queue's keys begin with
--- @arg    id        the job
--- @arg    priority  0 for none
--- @arg    lifo      1 to go in front of the equals, else 0
--- @return 0, or an @error
--- @error  -1        no such job
--- @bullmq changePriority
--- @include queue_at
--- @include line_up
--- @include push_first
--- @include is_blocked
local q = queue_at(KEYS[1])
local job_id, lifo = ARGV[1], ARGV[3] == "1"
local priority = tonumber(ARGV[2])
local key = q.base .. job_id
if redis.call("EXISTS", key) == 0 then
  return -1
end
if redis.call("ZREM", q.prioritized, job_id) == 1 or redis.call("LREM", q.wait, -1, job_id) == 1 then
  if lifo and priority ~= 0 then
    push_first(q, job_id, priority)
  else
    line_up(q, job_id, priority, lifo and "RPUSH" or "LPUSH", is_blocked(q))
  end
end
redis.call("HSET", key, "priority", ARGV[2])
return 0
