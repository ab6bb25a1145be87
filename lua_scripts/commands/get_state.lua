--- Find out where a job is.
---
--- Looks through the lists of waiting and active jobs, at worst whole.
---
--- @key    base  what the queue's keys begin with
--- @arg    id    the job
--- @return the state's public name
--- @bullmq getState, isJobInState
--- @include queue_at
local q = queue_at(KEYS[1])
local job_id = ARGV[1]
for _, state in ipairs({ "completed", "failed", "delayed", "prioritized" }) do
  if redis.call("ZSCORE", q[state], job_id) then
    return state
  end
end
if redis.call("LPOS", q.active, job_id) then
  return "active"
end
-- BullMQ before version 6 moved the waiting jobs of a paused queue to a list of their own.
if redis.call("LPOS", q.wait, job_id) or redis.call("LPOS", q.paused, job_id) then
  return "waiting"
end
return redis.call("ZSCORE", q.waiting_children, job_id) and "waiting-children" or "unknown"
