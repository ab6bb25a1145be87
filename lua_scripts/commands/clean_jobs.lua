--- Wipe jobs of one state that are older than a moment, among `look` ids from a position on.
---
--- Finished jobs are judged by their end, others by their start or creation; the next runs of
--- schedulers and locked jobs are spared. A job without a time of its own counts as old.
---
--- @key    base    what the queue's keys begin with
--- @arg    state   the state's key: completed, failed, wait, paused, active, delayed, prioritized, ...
--- @arg    cutoff  ms; jobs of that moment go too
--- @arg    first   from which position on, 0 is the oldest or next
--- @arg    look    at how many ids to look, over 0
--- @return {position to go on from or -1 at the end, ids of the wiped jobs}
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
local first, look = tonumber(ARGV[3]), tonumber(ARGV[4])
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
local seen
if TIMES[state] == LISTED then
  local ids
  ids, seen = sift_list(key, first, look, look, may_go)
  for i = #ids, 1, -1 do
    wiped[#wiped + 1] = ids[i]
  end
elseif TIMES[state] then
  wiped, seen = sift_set(key, first, look, look, may_go)
else
  wiped = redis.call("ZRANGEBYSCORE", key, "-inf", cutoff, "LIMIT", 0, look)
  seen = #wiped
  in_chunks("ZREM", key, wiped)
end
for _, job_id in ipairs(wiped) do
  wipe_job(q, job_id)
end
if #wiped > 0 or first == 0 then
  redis.call("XADD", q.events, "*", "event", "cleaned", "count", #wiped)
end
return { seen == look and first + seen - #wiped or -1, wiped }
