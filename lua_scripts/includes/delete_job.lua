--- Delete everything stored of a job but its lock.
local function delete_job(job_key)
  return redis.call("DEL", job_key, job_key .. ":logs", job_key .. ":dependencies",
    job_key .. ":processed", job_key .. ":failed", job_key .. ":unsuccessful")
end
