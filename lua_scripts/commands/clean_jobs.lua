--- Wipe jobs of one state that are older than a moment, at most `limit` per call.
---
--- Finished jobs are judged by their end, others by their start or creation; the next runs of
--- schedulers and locked jobs are spared. Of lists and lines, the `limit` oldest ids are looked at.
---
--- @key    base    what the queue's keys begin with
--- @arg    state   the state's key: completed, failed, wait, paused, active, delayed, prioritized, ...
--- @arg    cutoff  ms; jobs of that moment go too
--- @arg    limit   how many at most, over 0
--- @return the ids of the wiped jobs
--- @emits  cleaned
--- @bullmq cleanJobsInSet
--- @include queue_at
--- @include in_chunks
--- @include is_next_run
--- @include is_older
--- @include remove_from_list
--- @include wipe_job
local q = queue_at(KEYS[1])
local state, cutoff, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local key = q.base .. state
local wiped = {}

local LISTS = { wait = true, paused = true, active = true }
local LINES = { delayed = { "processedOn", "timestamp" }, prioritized = { "timestamp" } }

local function consider(ids, fields)
  for _, job_id in ipairs(ids) do
    local locked = state == "active" and redis.call("EXISTS", q.base .. job_id .. ":lock") == 1
    if not locked and not is_next_run(q, job_id) and is_older(q, job_id, fields, cutoff) then
      wiped[#wiped + 1] = job_id
    end
  end
end

if LISTS[state] then
  consider(redis.call("LRANGE", key, -limit, -1), { "finishedOn", "processedOn", "timestamp" })
  remove_from_list(key, wiped)
elseif LINES[state] then
  consider(redis.call("ZRANGE", key, 0, limit - 1), LINES[state])
  in_chunks("ZREM", key, wiped)
else
  wiped = redis.call("ZRANGEBYSCORE", key, "-inf", cutoff, "LIMIT", 0, limit)
  in_chunks("ZREM", key, wiped)
end
for _, job_id in ipairs(wiped) do
  wipe_job(q, job_id)
end
redis.call("XADD", q.events, "*", "event", "cleaned", "count", #wiped)
return wiped
