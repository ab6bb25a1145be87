--- Wipe up to `limit` jobs of a sorted set but the next runs of schedulers; whether any was wiped.
--- @include in_chunks
--- @include is_next_run
--- @include wipe_job
local function drain_set(q, set, limit)
  local wiped = {}
  -- The spared ones stay in front, so a call looks past as many as there can be.
  local last = limit + redis.call("ZCARD", q.repeats) - 1
  for _, job_id in ipairs(redis.call("ZRANGE", set, 0, last)) do
    if #wiped < limit and not is_next_run(q, job_id) then
      wiped[#wiped + 1] = job_id
      wipe_job(q, job_id)
    end
  end
  in_chunks("ZREM", set, wiped)
  return #wiped > 0
end
