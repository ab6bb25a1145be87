--- Let workers start jobs again. Jobs that BullMQ 5 parked in `paused` come back, 7000 per call.
---
--- @key    base      what the queue's keys begin with
--- @arg    announce  1 to append the event, which the first call of a resume does
--- @return how many jobs are still parked
--- @emits  resumed
--- @bullmq pause
--- @include queue_at
--- @include in_chunks
--- @include mark_runnable
--- @include mark_next_due
local q = queue_at(KEYS[1])
redis.call("HDEL", q.meta, "paused")
if redis.call("EXISTS", q.paused) == 1 then
  if redis.call("EXISTS", q.wait) == 0 then
    redis.call("RENAME", q.paused, q.wait)
  else
    in_chunks("RPUSH", q.wait, redis.call("LRANGE", q.paused, 0, 6999))
    redis.call("LTRIM", q.paused, 7000, -1)
  end
end
if redis.call("LLEN", q.wait) + redis.call("ZCARD", q.prioritized) > 0 then
  mark_runnable(q)
else
  mark_next_due(q)
end
if ARGV[1] == "1" then
  redis.call("XADD", q.events, "*", "event", "resumed")
end
return redis.call("LLEN", q.paused)
