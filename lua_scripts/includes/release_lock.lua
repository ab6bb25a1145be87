--- Give back a job's lock: 0, or -2 where there is none, or -6 where it is another's.
--- @include lock_verdict
local function release_lock(q, job_id, token)
  if token == "0" then
    return 0
  end
  local lock = q.base .. job_id .. ":lock"
  local verdict = lock_verdict(redis.call("GET", lock), token)
  if verdict == 0 then
    redis.call("DEL", lock)
    redis.call("SREM", q.stalled, job_id)
  end
  return verdict
end
