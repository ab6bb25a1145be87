--- Replace a job's data.
---
--- @key    base    what the queue's keys begin with
--- @arg    id      the job
--- @arg    data    JSON, stored as it is
--- @return 0, or an @error
--- @error  -1      no such job
--- @bullmq updateData
--- @include queue_at
local key = queue_at(KEYS[1]).base .. ARGV[1]
if redis.call("EXISTS", key) == 0 then
  return -1
end
redis.call("HSET", key, "data", ARGV[2])
return 0
