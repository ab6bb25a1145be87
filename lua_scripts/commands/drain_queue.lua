--- Wipe jobs that wait in line, at most 500 per call; schedulers keep their next run, in its place.
---
--- @key    base     what the queue's keys begin with
--- @arg    delayed  1 to wipe delayed jobs too
--- @return 1 if there may be more, else 0
--- @bullmq drain
--- @include queue_at
--- @include is_next_run
--- @include sift_list
--- @include sift_set
--- @include wipe_job
local q = queue_at(KEYS[1])
local left = 500
-- Each scheduler has one next run, so among that many more ids there are `left` to wipe, if any.
local spared = redis.call("ZCARD", q.repeats)

local function may_go(job_id)
  return not is_next_run(q, job_id)
end

local function wipe(ids)
  for _, job_id in ipairs(ids) do
    wipe_job(q, job_id)
  end
  left = left - #ids
end

wipe(sift_list(q.wait, 0, left + spared, left, may_go))
wipe(sift_list(q.paused, 0, left + spared, left, may_go))
wipe(sift_set(q.prioritized, 0, left + spared, left, may_go))
if ARGV[1] == "1" then
  wipe(sift_set(q.delayed, 0, left + spared, left, may_go))
end
return left == 0 and 1 or 0
