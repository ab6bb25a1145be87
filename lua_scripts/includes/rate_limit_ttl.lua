--- For how many ms the queue is rate limited: 0 if it isn't.
---
--- max is the number of jobs per window, nil for no limit. A counter without expiry never limits.
local function rate_limit_ttl(q, max)
  if not max or max > (tonumber(redis.call("GET", q.limiter)) or 0) then
    return 0
  end
  local ttl = redis.call("PTTL", q.limiter)
  if ttl == 0 then
    redis.call("DEL", q.limiter)
  end
  return math.max(ttl, 0)
end
