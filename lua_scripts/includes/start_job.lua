--- Start a job that is in active: lock it, count the start, say so; its fields, flat.
---
--- worker is {token, lock_ms, name, max, duration}. A job with a deferred failure only passes
--- through to be failed, so it does not count against the rate limit.
local function start_job(q, job_id, now, worker, counted)
  local key = q.base .. job_id
  local fields = redis.call("HGETALL", key)
  local started = { processedOn = now, ats = 1 }
  if worker.name ~= "" then
    started.pb = worker.name
  end
  local doomed = false
  for i = 1, #fields, 2 do
    if fields[i] == "ats" then
      started.ats = (tonumber(fields[i + 1]) or 0) + 1
    end
    doomed = doomed or fields[i] == "defa"
  end
  for name, value in pairs(started) do
    fields[#fields + 1] = name
    fields[#fields + 1] = type(value) == "number" and string.format("%.0f", value) or value
  end
  if counted and not doomed and redis.call("INCR", q.limiter) == 1 then
    redis.call("PEXPIRE", q.limiter, math.floor(math.abs(worker.duration)))
  end
  if worker.token ~= "0" then
    redis.call("SET", key .. ":lock", worker.token, "PX", worker.lock_ms)
  end
  redis.call("XADD", q.events, "*", "event", "active", "jobId", job_id, "prev", "waiting")
  redis.call("HSET", key, unpack(fields, #fields - (started.pb and 5 or 3)))
  return fields
end
