--- Whether a job is the next run of a living scheduler.
local function is_next_run(q, job_id)
  local scheduler_id = redis.call("HGET", q.base .. job_id, "rjk")
  local due = scheduler_id and redis.call("ZSCORE", q.repeats, scheduler_id)
  return due and job_id == "repeat:" .. scheduler_id .. ":" .. due or false
end
