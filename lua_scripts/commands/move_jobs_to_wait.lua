--- Put finished or delayed jobs back into wait, the oldest first; priorities are not looked at.
---
--- @key    base   what the queue's keys begin with
--- @arg    state  failed | completed | delayed
--- @arg    count  how many at most
--- @arg    until  only those with at most this score
--- @return 1 if there may be more, else 0
--- @emits  waiting
--- @bullmq moveJobsToWait
--- @include queue_at
--- @include in_chunks
--- @include is_blocked
--- @include mark_runnable
--- @include max_events
--- @include relink_to_parent
local q = queue_at(KEYS[1])
local state, count = ARGV[1], tonumber(ARGV[2])
local blocked = is_blocked(q)
local ids = redis.call("ZRANGEBYSCORE", q[state], 0, ARGV[3], "LIMIT", 0, count)
if #ids == 0 then
  return 0
end
local max_len = max_events(q)
for _, job_id in ipairs(ids) do
  if state ~= "delayed" then
    local outcome = state == "failed" and "failedReason" or "returnvalue"
    redis.call("HDEL", q.base .. job_id, "finishedOn", "processedOn", outcome)
    relink_to_parent(q, job_id, state)
  end
  redis.call("XADD", q.events, "MAXLEN", "~", max_len, "*",
    "event", "waiting", "jobId", job_id, "prev", state)
end
in_chunks("ZREM", q[state], ids)
in_chunks("LPUSH", q.wait, ids)
if not blocked then
  mark_runnable(q)
end
return #ids == count and 1 or 0
