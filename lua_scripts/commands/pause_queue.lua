--- Let no worker start a job; running ones go on. Idle workers are not woken any more.
---
--- @key    base  what the queue's keys begin with
--- @return 0
--- @emits  paused
--- @bullmq pause
--- @include queue_at
local q = queue_at(KEYS[1])
redis.call("HSET", q.meta, "paused", "1")
redis.call("DEL", q.marker)
redis.call("XADD", q.events, "*", "event", "paused")
return 0
