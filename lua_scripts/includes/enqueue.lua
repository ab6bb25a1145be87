--- Put a stored job where it belongs, and say so in the event stream.
---
--- job.place: LPUSH (wait, served in order), RPUSH (wait, served next), prioritized, delayed or
--- waiting-children. Lists are written later, by join_line.
--- @include delay_until
local function enqueue(line, job)
  local q, max_len = line.q, line.max_len
  if job.place == "delayed" then
    local due = tonumber(job.timestamp) + tonumber(job.delay)
    delay_until(q, job.id, due)
    line.has_delayed = true
    redis.call("XADD", q.events, "MAXLEN", "~", max_len, "*",
      "event", "delayed", "jobId", job.id, "delay", due)
  elseif job.place == "waiting-children" then
    redis.call("ZADD", q.waiting_children, job.timestamp, job.id)
    redis.call("XADD", q.events, "MAXLEN", "~", max_len, "*",
      "event", "waiting-children", "jobId", job.id)
  else
    local joining = line[job.place]
    joining[#joining + 1] = job.place == "prioritized" and job or job.id
    redis.call("XADD", q.events, "MAXLEN", "~", max_len, "*", "event", "waiting", "jobId", job.id)
  end
end
