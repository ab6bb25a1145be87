--- Wipe jobs that wait in line, at most 500 of each kind per call; schedulers keep their next run.
---
--- @key    base     what the queue's keys begin with
--- @arg    delayed  1 to wipe delayed jobs too
--- @return 1 if there may be more, else 0
--- @bullmq drain
--- @include queue_at
--- @include drain_list
--- @include drain_set
local CHUNK = 500
local q = queue_at(KEYS[1])
local any = drain_list(q, q.wait, CHUNK)
any = drain_list(q, q.paused, CHUNK) or any
any = drain_set(q, q.prioritized, CHUNK) or any
if ARGV[1] == "1" then
  any = drain_set(q, q.delayed, CHUNK) or any
end
-- More ids than there are next runs: a whole chunk happened to be spared, and others follow.
local crowded = redis.call("LLEN", q.wait) > math.max(CHUNK, redis.call("ZCARD", q.repeats))
return (any or crowded) and 1 or 0
