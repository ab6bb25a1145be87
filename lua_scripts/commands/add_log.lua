--- Append a row to a job's log.
---
--- @key    base  what the queue's keys begin with
--- @arg    id    the job
--- @arg    row   text
--- @arg    keep  how many of the newest rows to keep; 0 for all
--- @return how many rows are kept now, or an @error
--- @error  -1    no such job
--- @bullmq addLog
--- @include queue_at
local key = queue_at(KEYS[1]).base .. ARGV[1]
local keep = tonumber(ARGV[3])
if redis.call("EXISTS", key) == 0 then
  return -1
end
local rows = redis.call("RPUSH", key .. ":logs", ARGV[2])
if keep == 0 then
  return rows
end
redis.call("LTRIM", key .. ":logs", -keep, -1)
return math.min(keep, rows)
