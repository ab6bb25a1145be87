--- Take a deduplication id from the job that owns it; what is parked behind it stays.
---
--- @key    base              what the queue's keys begin with
--- @arg    id                the job
--- @arg    deduplication_id  the id
--- @return 1 if the job owned it, else 0
--- @bullmq removeDeduplicationKey
--- @include queue_at
local key = queue_at(KEYS[1]).base .. "de:" .. ARGV[2]
return redis.call("GET", key) == ARGV[1] and redis.call("DEL", key) or 0
