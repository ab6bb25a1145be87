--- Ask for how long the queue is rate limited.
---
--- @key    base  what the queue's keys begin with
--- @arg    max   jobs per window to judge by; 0 for the queue's own, or else the bare key
--- @return ms, 0 if it is not; without any number of jobs -2 without a key, -1 without an end
--- @bullmq getRateLimitTtl
--- @include queue_at
--- @include rate_limit_ttl
local q = queue_at(KEYS[1])
local max = tonumber(ARGV[1])
if max == 0 then
  max = tonumber(redis.call("HGET", q.meta, "max") or nil)
end
if max then
  return rate_limit_ttl(q, max)
end
return redis.call("PTTL", q.limiter)
