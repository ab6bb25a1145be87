--- Let active jobs go, each on its own merits: completed, failed, back into the line or to sleep;
--- settle their parents; then hand out the next jobs.
---
--- A batch holds each job once, and at most 500 of them.
---
--- @key    base        what the queue's keys begin with
--- @arg    now         ms, the caller's clock
--- @arg    want        how many jobs to hand out at most
--- @arg    token       lock token of these
--- @arg    lock_ms     how long their locks last without renewal, whole ms
--- @arg    worker      the worker's name, or empty
--- @arg    limit_max   the worker's rate limit: jobs per window, or empty
--- @arg    limit_ms    length of that window in ms, or empty
--- @arg    max_points  how many minutes of metrics to keep, or empty for none
--- @item   id          the job
--- @item   token       its lock token; "0" asks for no lock
--- @item   target      completed | failed | retry (at once) | backoff (retry later) | sleep (no attempt spent)
--- @item   value       the result's JSON, or why it failed
--- @item   keep_count  retention by number; empty or negative keeps all, 0 none
--- @item   keep_age    retention by age in seconds, or empty
--- @item   keep_limit  how many go by age at once, or empty
--- @item   attempts    how many attempts the job has in all
--- @item   detail      retry: LPUSH | RPUSH, the side of wait; backoff and sleep: ms from now
--- @item   fields      msgpack list of hash fields and values to write, or empty
--- @return {{per outcome 0 or an @error}, 0 or what fetch_jobs returns}
--- @error  -1          no such job
--- @error  -2          the job has no lock
--- @error  -3          the job is not active
--- @error  -4          a parent with open children can't complete
--- @error  -6          the lock is another worker's
--- @error  -9          a parent with failed children can't complete
--- @emits  completed | failed | retries-exhausted | waiting | delayed | active | drained | added
--- @bullmq moveToFinished, retryJob, moveToDelayed, moveToActive
--- @include queue_at
--- @include outcomes_at
--- @include some_have_children
--- @include children_verdict
--- @include leave_active
--- @include release_locks
--- @include max_events
--- @include is_blocked
--- @include promote_due
--- @include finish_job
--- @include retry_now
--- @include retry_later
--- @include mark_next_due
--- @include fetch_next
local q = queue_at(KEYS[1])
local now, want = tonumber(ARGV[1]), tonumber(ARGV[2])
local max_points = tonumber(ARGV[8])
local outcomes = outcomes_at(q, 9)
local statuses, let_go = {}, {}
local look_at_children = some_have_children(q, outcomes)
local finished, slept, trimmed = false, false, false

local function settle(outcome, stored)
  local target = outcome.target
  if target == "retry" then
    retry_now(q, outcome.id, outcome.detail)
  elseif target == "backoff" or target == "sleep" then
    retry_later(q, outcome.id, outcome.detail, now, target == "backoff")
    slept = true
  else
    if not trimmed then
      redis.call("XTRIM", q.events, "MAXLEN", "~", max_events(q))
      trimmed = true
    end
    finish_job(q, outcome, stored, now, max_points)
    finished = true
  end
end

for number, outcome in ipairs(outcomes) do
  local key = q.base .. outcome.id
  local stored = redis.call("HMGET", key, "atm", "parentKey", "parent", "deid", "ats")
  local status = 0
  if outcome.target == "retry" then
    promote_due(q, now, is_blocked(q))
  end
  if not stored[5] and redis.call("EXISTS", key) == 0 then
    status = -1
  elseif outcome.target == "completed" and look_at_children then
    status = children_verdict(key)
  end
  if status == 0 then
    status = leave_active(q, outcome, outcome.held)
    if outcome.token ~= "0" and (status == 0 or status == -3) then
      let_go[#let_go + 1] = outcome.id
    end
  end
  if status == 0 then
    settle(outcome, stored)
    -- A child may have failed a parent that is to complete in this very batch.
    look_at_children = look_at_children or stored[2] ~= false
  end
  statuses[number] = status
end
release_locks(q, let_go)

local fetched = want > 0 and fetch_next(q, now, want, {
  token = ARGV[3],
  lock_ms = ARGV[4],
  name = ARGV[5],
  max = tonumber(ARGV[6]),
  duration = tonumber(ARGV[7]),
}) or 0
local handed_out = fetched ~= 0 and #fetched > 3
if slept and not handed_out then
  mark_next_due(q)
end
-- Nothing is said of an empty queue to a caller who knows why it got nothing: limited, not due, blocked.
local explained = fetched ~= 0 and (handed_out or fetched[1] > 0 or fetched[2] > 0 or fetched[3] > 0)
if finished and not explained
  and redis.call("LLEN", q.wait) == 0
  and redis.call("LLEN", q.active) == 0
  and redis.call("ZCARD", q.prioritized) == 0 then
  redis.call("XADD", q.events, "*", "event", "drained")
end
return { statuses, fetched }
