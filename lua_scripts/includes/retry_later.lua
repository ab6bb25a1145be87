--- Send a job that has left active to sleep; counts an attempt unless it only asked for it.
---
--- delay is ms from now; 0 or less means due at once, but still by way of the delayed jobs.
--- @include delay_until
--- @include max_events
local function retry_later(q, job_id, delay, now, counts)
  local key = q.base .. job_id
  local due = now + math.max(tonumber(delay), 0)
  if counts then
    redis.call("HINCRBY", key, "atm", 1)
  end
  redis.call("HSET", key, "delay", delay)
  delay_until(q, job_id, due)
  redis.call("XADD", q.events, "MAXLEN", "~", max_events(q), "*",
    "event", "delayed", "jobId", job_id, "delay", due)
end
