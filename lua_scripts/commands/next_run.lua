--- Add the run of a scheduler that follows one which is about to be worked on.
---
--- Only the scheduler's current run is followed: for an older or retried one nothing is done, so
--- sending this twice does what sending it once does.
---
--- @key    base       what the queue's keys begin with
--- @arg    id         the scheduler
--- @arg    producer   the run that was taken
--- @arg    now        ms
--- @arg    next       ms; when it runs next, empty for one with an interval
--- @arg    every      ms, where the definition has none; or empty
--- @arg    offset     ms, where the definition has none; or empty
--- @arg    opts       JSON of the new run's options but jobId and delay; at least one
--- @arg    priority   of the run; 0 for none
--- @arg    place      LPUSH | RPUSH | prioritized: where the run goes if it is due now
--- @return id of the new run, or nil
--- @emits  added | waiting | delayed | duplicated
--- @bullmq updateJobSchedulerNextMillis
--- @include queue_at
--- @include next_every
--- @include run_id
--- @include max_events
--- @include add_run
local q = queue_at(KEYS[1])
local id, producer, now = ARGV[1], ARGV[2], tonumber(ARGV[3])
local definition_key = q.repeats .. ":" .. id
local previous = tonumber(redis.call("ZSCORE", q.repeats, id) or nil)
if not previous or producer ~= run_id(id, previous) then
  return nil
end

local stored = redis.call("HMGET", definition_key, "name", "data", "every", "offset")
local every, due = tonumber(stored[3] or ARGV[5]), tonumber(ARGV[4])
if every then
  local offset = tonumber(stored[4] or ARGV[6]) or 0
  due = next_every(previous, now, { every = every, offset = offset })
end
local new_id = run_id(id, due)
if redis.call("EXISTS", q.base .. new_id) == 1 then
  redis.call("XADD", q.events, "MAXLEN", "~", max_events(q), "*",
    "event", "duplicated", "jobId", new_id)
  return nil
end
redis.call("HINCRBY", definition_key, "ic", 1)
add_run(q, {
  scheduler_id = id,
  due = due,
  now = now,
  name = stored[1] or "",
  data = stored[2] or "{}",
  opts = ARGV[7],
  priority = ARGV[8],
  place = ARGV[9],
})
return new_id
