--- Put a job behind its equals among the prioritized.
---
--- The score is priority * 2^32 plus a counter, so equals are served in order of arrival.
local function push_prioritized(q, job_id, priority)
  local count = redis.call("INCR", q.pc)
  redis.call("ZADD", q.prioritized, priority * 4294967296 + count % 4294967296, job_id)
end
