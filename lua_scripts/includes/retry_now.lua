--- Send a job that has left active back into the line, spending an attempt.
---
--- side counts for jobs without priority only; others go behind their equals.
--- @include line_up
--- @include is_blocked
--- @include max_events
local function retry_now(q, job_id, side)
  local key = q.base .. job_id
  local priority = tonumber(redis.call("HGET", key, "priority")) or 0
  line_up(q, job_id, priority, side, is_blocked(q))
  redis.call("HINCRBY", key, "atm", 1)
  redis.call("XADD", q.events, "MAXLEN", "~", max_events(q), "*",
    "event", "waiting", "jobId", job_id, "prev", "active")
end
