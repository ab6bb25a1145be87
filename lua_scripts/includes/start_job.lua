--- Start a job that is in active: lock it, count the start, say so; its fields, flat.
---
--- now is text. worker is {token, lock_ms, name, max, duration}. A job with a deferred failure only passes
--- through to be failed, so it does not count against the rate limit.
local function start_job(q, job_id, now, worker, counted)
  local key = q.base .. job_id
  local fields = redis.call("HGETALL", key)
  local stored, starts, doomed = #fields, 1, false
  for i = 1, stored, 2 do
    local name = fields[i]
    if name == "ats" then
      starts = (tonumber(fields[i + 1]) or 0) + 1
    elseif name == "defa" then
      doomed = true
    end
  end
  fields[stored + 1], fields[stored + 2] = "processedOn", now
  fields[stored + 3], fields[stored + 4] = "ats", string.format("%.0f", starts)
  if worker.name ~= "" then
    fields[stored + 5], fields[stored + 6] = "pb", worker.name
  end
  if counted and not doomed and redis.call("INCR", q.limiter) == 1 then
    redis.call("PEXPIRE", q.limiter, math.floor(math.abs(worker.duration)))
  end
  if worker.token ~= "0" then
    redis.call("SET", key .. ":lock", worker.token, "PX", worker.lock_ms)
  end
  redis.call("XADD", q.events, "*", "event", "active", "jobId", job_id, "prev", "waiting")
  redis.call("HSET", key, unpack(fields, stored + 1))
  return fields
end
