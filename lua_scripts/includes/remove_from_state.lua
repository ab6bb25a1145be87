--- Take a job out of whichever state holds it; the name of that state's key, or "unknown".
local function remove_from_state(q, job_id)
  local sorted_sets = { "completed", "waiting-children", "delayed", "failed", "prioritized" }
  for _, state in ipairs(sorted_sets) do
    if redis.call("ZREM", q.base .. state, job_id) == 1 then
      return state
    end
  end
  for _, state in ipairs({ "wait", "paused", "active" }) do
    if redis.call("LREM", q.base .. state, 0, job_id) > 0 then
      return state
    end
  end
  return "unknown"
end
