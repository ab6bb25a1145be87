--- Read rows of a job's log.
---
--- @key    base   what the queue's keys begin with
--- @arg    id     the job
--- @arg    start  first row; negative counts from the end
--- @arg    end    last row, included
--- @return {list of rows in the order of their writing, how many there are in all}
--- @bullmq getJobLogs
--- @include queue_at
local key = queue_at(KEYS[1]).base .. ARGV[1] .. ":logs"
return { redis.call("LRANGE", key, ARGV[2], ARGV[3]), redis.call("LLEN", key) }
