--- Make a job runnable: among the prioritized, or in wait on the given side, and wake a worker.
---
--- side is LPUSH (served after those waiting) or RPUSH (served next).
--- @include push_prioritized
--- @include mark_runnable
local function line_up(q, job_id, priority, side, blocked)
  if priority == 0 then
    redis.call(side, q.wait, job_id)
  else
    push_prioritized(q, job_id, priority)
  end
  if not blocked then
    mark_runnable(q)
  end
end
