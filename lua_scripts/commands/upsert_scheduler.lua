--- Make a scheduler, or replace it and its run that has not been started, and add its next run.
---
--- @key    base       what the queue's keys begin with
--- @arg    id         the scheduler
--- @arg    now        ms
--- @arg    next       ms; when it runs next, empty for one with an interval
--- @arg    every      ms, empty for one with a pattern
--- @arg    offset     ms, empty if none is given
--- @arg    start      ms, empty if none is given
--- @arg    data       JSON of the run's data
--- @arg    opts       JSON of the run's options but jobId and delay; at least one
--- @arg    priority   of the run; 0 for none
--- @arg    place      LPUSH | RPUSH | prioritized: where the run goes if it is due now
--- @arg    name       of the run
--- @item   field      name of a field of the definition
--- @item   value      its text
--- @return {id of the run, its delay in ms}, or an @error
--- @error  -10        the run's id is taken; of a scheduler with a pattern
--- @error  -11        so many slots are taken; of a scheduler with an interval
--- @emits  added | waiting | delayed
--- @bullmq addJobScheduler
--- @include queue_at
--- @include next_every
--- @include run_id
--- @include remove_waiting_run
--- @include free_slot
--- @include add_run
local q = queue_at(KEYS[1])
local id, now = ARGV[1], tonumber(ARGV[2])
local every, given_offset = tonumber(ARGV[4]), tonumber(ARGV[5])
local definition_key = q.repeats .. ":" .. id
local stored = redis.call("HMGET", definition_key, "every", "offset", "ic")
local previous = tonumber(redis.call("ZSCORE", q.repeats, id) or nil)

local due, offset = tonumber(ARGV[3]), given_offset or 0
local changed = every and previous and tonumber(stored[1] or nil) ~= every
if every then
  local terms = { every = every, offset = offset, start = tonumber(ARGV[6]) }
  due, offset = next_every(not changed and previous or nil, now, terms)
end

local replaced = previous and remove_waiting_run(q, run_id(id, previous))
if replaced then
  offset = given_offset or tonumber(stored[2] or nil)
  due = every and not changed and previous or due
end
if every then
  due = free_slot(q, id, due, every)
  if not due then
    return -11
  end
elseif not replaced and redis.call("EXISTS", q.base .. run_id(id, due)) == 1 then
  return -10
end

redis.call("DEL", definition_key)
redis.call("HSET", definition_key, "name", ARGV[11], "ic", stored[3] or 1, unpack(ARGV, 12))
if offset then
  redis.call("HSET", definition_key, "offset", offset)
end
local job_id, delay = add_run(q, {
  scheduler_id = id,
  due = due,
  now = now,
  name = ARGV[11],
  data = ARGV[7],
  opts = ARGV[8],
  priority = ARGV[9],
  place = ARGV[10],
})
return { job_id, delay }
