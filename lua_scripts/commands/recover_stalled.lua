--- Put active jobs without a lock back to the front of the line, then note who is active now.
---
--- Only jobs that were noted by the check before are put back, so one that has just been handed out
--- gets an interval's grace. Any number of jobs goes at once.
---
--- @key    base               what the queue's keys begin with
--- @arg    now                ms, the caller's clock
--- @arg    interval_ms        one check in this time for all workers of the queue, whole ms
--- @arg    max_stalled_count  how often a job may stall
--- @return ids of the jobs put back
--- @emits  waiting | stalled
--- @bullmq moveStalledJobsToWait
--- @include queue_at
--- @include max_events
--- @include in_chunks
--- @include remove_from_list
--- @include note_stall
--- @include is_blocked
--- @include mark_runnable
local q = queue_at(KEYS[1])
if redis.call("EXISTS", q.stalled_check) == 1 then
  return {}
end
redis.call("SET", q.stalled_check, ARGV[1], "PX", ARGV[2])
redis.call("XTRIM", q.events, "MAXLEN", "~", max_events(q))

local is_active = {}
for _, job_id in ipairs(redis.call("LRANGE", q.active, 0, -1)) do
  is_active[job_id] = true
end
local leaving, recovered = {}, {}
for _, job_id in ipairs(redis.call("SMEMBERS", q.stalled)) do
  if is_active[job_id] then
    -- Ids beginning "0:" are wake-up marks that BullMQ 4 left; they are dropped.
    if string.sub(job_id, 1, 2) == "0:" then
      leaving[#leaving + 1] = job_id
    elseif redis.call("EXISTS", q.base .. job_id .. ":lock") == 0 then
      leaving[#leaving + 1] = job_id
      recovered[#recovered + 1] = job_id
    end
  end
end
redis.call("DEL", q.stalled)
remove_from_list(q.active, leaving)

for _, job_id in ipairs(recovered) do
  note_stall(q, job_id, tonumber(ARGV[3]))
  redis.call("XADD", q.events, "*", "event", "waiting", "jobId", job_id, "prev", "active")
  redis.call("XADD", q.events, "*", "event", "stalled", "jobId", job_id)
end
in_chunks("RPUSH", q.wait, recovered)
if #recovered > 0 and not is_blocked(q) then
  mark_runnable(q)
end
in_chunks("SADD", q.stalled, redis.call("LRANGE", q.active, 0, -1))
return recovered
