--- Whether a job is the next run of a living scheduler.
local function is_next_run(q, job_id)
  -- The id alone rules nearly every job out, without asking for its hash.
  if string.sub(job_id, 1, 7) ~= "repeat:" then
    return false
  end
  local scheduler_id = redis.call("HGET", q.base .. job_id, "rjk")
  local due = scheduler_id and redis.call("ZSCORE", q.repeats, scheduler_id)
  return due and job_id == "repeat:" .. scheduler_id .. ":" .. due or false
end
