--- Put a job in front of its equals among the prioritized; wakes nobody.
---
--- Several such jobs share one score and are served in byte order of their ids.
local function push_first(q, job_id, priority)
  redis.call("ZADD", q.prioritized, priority * 4294967296, job_id)
end
