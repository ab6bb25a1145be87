--- Write a new job's hash and announce it.
---
--- job is {id, name, data, opts, timestamp, delay, priority, more}, with parentKey, parent, rjk and
--- deid in more where it has them. data and opts are JSON text and stored as they are.
local function store_job(q, job)
  local key = q.base .. job.id
  redis.call("HSET", key, "name", job.name, "data", job.data, "opts", job.opts,
    "timestamp", job.timestamp, "delay", job.delay, "priority", job.priority)
  if next(job.more) then
    for _, name in ipairs({ "parentKey", "parent", "rjk", "deid" }) do
      if job.more[name] then
        redis.call("HSET", key, name, job.more[name])
      end
    end
  end
  redis.call("XADD", q.events, "*", "event", "added", "jobId", job.id, "name", job.name)
end
