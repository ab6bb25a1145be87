--- Delete a paused queue, at most `count` jobs per call; its own keys go once all jobs are gone.
---
--- Parents whose children live in other queues stay, as in BullMQ.
---
--- @key    base   what the queue's keys begin with
--- @arg    count  how many jobs at most
--- @arg    force  1 to delete jobs that are being worked on
--- @return 0 done, 1 if there is more, -1 the queue is not paused, -2 jobs are being worked on
--- @bullmq obliterate
--- @include queue_at
--- @include obliterate_list
--- @include obliterate_set
local q = queue_at(KEYS[1])
local left = tonumber(ARGV[1])
if redis.call("HEXISTS", q.meta, "paused") == 0 then
  return -1
end
if ARGV[2] ~= "1" and redis.call("LLEN", q.active) > 0 then
  return -2
end
left = left - obliterate_list(q, q.active, left)
left = left - obliterate_set(q, q.delayed, left)
local schedulers = left > 0 and redis.call("ZRANGE", q.repeats, 0, left - 1) or {}
for _, scheduler_id in ipairs(schedulers) do
  redis.call("DEL", q.repeats .. ":" .. scheduler_id)
  redis.call("ZREM", q.repeats, scheduler_id)
end
left = left - #schedulers
left = left - obliterate_set(q, q.completed, left)
left = left - obliterate_list(q, q.wait, left)
left = left - obliterate_list(q, q.paused, left)
left = left - obliterate_set(q, q.prioritized, left)
left = left - obliterate_set(q, q.failed, left)
if left <= 0 then
  return 1
end
local metrics = q.base .. "metrics:"
redis.call("DEL", q.events, q.base .. "delay", q.stalled_check, q.stalled, q.id, q.pc, q.marker,
  q.meta, metrics .. "completed", metrics .. "completed:data", metrics .. "failed",
  metrics .. "failed:data")
return 0
