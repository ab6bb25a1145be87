--- Put a finished job back into the line; its parent, if it noted the end, waits for it again.
---
--- @key    base     what the queue's keys begin with
--- @arg    id       the job
--- @arg    state    completed | failed, where it is
--- @arg    side     LPUSH | RPUSH, the side of wait; counts without a priority only
--- @arg    forget   further hash fields to delete: "" | "atm" | "ats" | "atm,ats"
--- @return 1, or an @error
--- @error  -1       no such job
--- @error  -3       the job is not in that state
--- @emits  waiting
--- @bullmq reprocessJob
--- @include queue_at
--- @include line_up
--- @include is_blocked
--- @include relink_to_parent
--- @include max_events
local q = queue_at(KEYS[1])
local job_id, state = ARGV[1], ARGV[2]
local key = q.base .. job_id
if redis.call("EXISTS", key) == 0 then
  return -1
end
if redis.call("ZREM", q[state], job_id) == 0 then
  return -3
end
local outcome = state == "failed" and "failedReason" or "returnvalue"
redis.call("HDEL", key, "finishedOn", "processedOn", outcome)
for field in string.gmatch(ARGV[4], "%a+") do
  redis.call("HDEL", key, field)
end
local priority = tonumber(redis.call("HGET", key, "priority")) or 0
line_up(q, job_id, priority, ARGV[3], is_blocked(q))
relink_to_parent(q, job_id, state)
redis.call("XADD", q.events, "MAXLEN", "~", max_events(q), "*",
  "event", "waiting", "jobId", job_id, "prev", state)
return 1
