--- Count a stall; beyond the limit the job is doomed: whoever fetches it next fails it unrun.
---
--- Runs of a scheduler are spared for as long as it lives: they would come again anyway.
local function note_stall(q, job_id, max_stalled_count)
  local key = q.base .. job_id
  local stalls = redis.call("HINCRBY", key, "stc", 1)
  if stalls <= max_stalled_count then
    return
  end
  local scheduler_id = redis.call("HGET", key, "rjk")
  if scheduler_id and (redis.call("ZSCORE", q.repeats, scheduler_id)
    or redis.call("EXISTS", q.repeats .. ":" .. scheduler_id) == 1) then
    return
  end
  redis.call("HSET", key, "defa", "job stalled more than allowable limit")
end
