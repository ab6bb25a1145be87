--- Delete a scheduler, and its next run if that is still delayed.
---
--- A run that is in line, being worked on or finished is kept, and nothing follows it.
---
--- @key    base  what the queue's keys begin with
--- @arg    id    the scheduler
--- @return 1 if it was there, else 0
--- @emits  removed
--- @bullmq removeJobScheduler
--- @include queue_at
--- @include run_id
--- @include wipe_job
local q = queue_at(KEYS[1])
local id = ARGV[1]
local due = tonumber(redis.call("ZSCORE", q.repeats, id) or nil)
if due and redis.call("ZREM", q.delayed, run_id(id, due)) == 1 then
  wipe_job(q, run_id(id, due))
  redis.call("XADD", q.events, "*",
    "event", "removed", "jobId", run_id(id, due), "prev", "delayed")
end
redis.call("DEL", q.repeats .. ":" .. id)
return redis.call("ZREM", q.repeats, id)
