--- Wipe jobs of one state that are older than a moment, at most `limit` per call, the oldest first.
---
--- Finished jobs are judged by their end, others by their start or creation; the next runs of
--- schedulers and locked jobs are spared. A job without a time of its own counts as old.
---
--- @key    base    what the queue's keys begin with
--- @arg    state   the state's key: completed, failed, wait, paused, active, delayed, prioritized, ...
--- @arg    cutoff  ms; jobs of that moment go too
--- @arg    limit   how many at most, over 0
--- @arg    look    how many ids of a list or line to look through for them, at least
--- @return the ids of the wiped jobs
--- @emits  cleaned
--- @bullmq cleanJobsInSet
--- @include queue_at
--- @include in_chunks
--- @include is_next_run
--- @include is_older
--- @include sift_list
--- @include sift_set
--- @include wipe_job
local q = queue_at(KEYS[1])
local state, cutoff = ARGV[1], tonumber(ARGV[2])
local limit, look = tonumber(ARGV[3]), tonumber(ARGV[4])
local key = q.base .. state

local LISTED = { "finishedOn", "processedOn", "timestamp" }
local TIMES = {
  wait = LISTED,
  paused = LISTED,
  active = LISTED,
  delayed = { "processedOn", "timestamp" },
  prioritized = { "timestamp" },
}

local function may_go(job_id)
  local locked = state == "active" and redis.call("EXISTS", q.base .. job_id .. ":lock") == 1
  return not locked and not is_next_run(q, job_id) and is_older(q, job_id, TIMES[state], cutoff)
end

local wiped = {}
if TIMES[state] == LISTED then
  local ids = sift_list(key, limit, look, may_go)
  for i = #ids, 1, -1 do
    wiped[#wiped + 1] = ids[i]
  end
elseif TIMES[state] then
  wiped = sift_set(key, limit, look, may_go)
else
  wiped = redis.call("ZRANGEBYSCORE", key, "-inf", cutoff, "LIMIT", 0, limit)
  in_chunks("ZREM", key, wiped)
end
for _, job_id in ipairs(wiped) do
  wipe_job(q, job_id)
end
redis.call("XADD", q.events, "*", "event", "cleaned", "count", #wiped)
return wiped
