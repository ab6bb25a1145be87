--- Write a new job's hash and announce it.
---
--- job is {id, name, data, opts, timestamp, delay, priority, more}, with parentKey, parent, rjk and
--- deid in more where it has them. data and opts are JSON text and stored as they are.
local function store_job(q, job)
  local fields = {
    "name", job.name, "data", job.data, "opts", job.opts,
    "timestamp", job.timestamp, "delay", job.delay, "priority", job.priority,
  }
  for _, name in ipairs({ "parentKey", "parent", "rjk", "deid" }) do
    if job.more[name] then
      fields[#fields + 1] = name
      fields[#fields + 1] = job.more[name]
    end
  end
  redis.call("HSET", q.base .. job.id, unpack(fields))
  redis.call("XADD", q.events, "*", "event", "added", "jobId", job.id, "name", job.name)
end
