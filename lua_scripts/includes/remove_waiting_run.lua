--- Wipe a scheduler's run that has not been started; whether it was there. No event tells of it.
---
--- A paused queue's runs are looked for in the parking list of older BullMQs only, as BullMQ does.
--- @include wipe_job
local function remove_waiting_run(q, job_id)
  local line = redis.call("HEXISTS", q.meta, "paused") == 1 and q.paused or q.wait
  local found = redis.call("EXISTS", q.base .. job_id) == 1
    and (redis.call("ZREM", q.delayed, job_id) == 1
      or redis.call("ZREM", q.prioritized, job_id) == 1
      or redis.call("LREM", line, 0, job_id) > 0)
  if found then
    wipe_job(q, job_id)
  end
  return found
end
