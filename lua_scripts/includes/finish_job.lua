--- Store the end of a job that has left active, settle its parent, apply retention, say so.
---
--- outcome is {id, target completed | failed, value, attempts, keep}; value is the result's JSON or
--- the failure's text. stored is {atm, parentKey, parent, deid} as they were.
--- @include unlink_from_parent
--- @include settle_parent
--- @include release_deduplication
--- @include delete_job
--- @include evict_finished
--- @include count_minute
local function finish_job(q, outcome, stored, now, max_points)
  local job_id, target, value = outcome.id, outcome.target, outcome.value
  local key = q.base .. job_id
  if stored[4] then
    release_deduplication(q, job_id, stored[4], now)
  end
  if stored[3] then
    settle_parent(cjson.decode(stored[3]), key, target, value, now)
  end
  local made = (tonumber(stored[1]) or 0) + 1
  if outcome.keep.count == 0 then
    if stored[2] then
      unlink_from_parent(q, job_id, false)
    end
    delete_job(key)
  else
    local set = q[target]
    redis.call("ZADD", set, now, job_id)
    local field = target == "completed" and "returnvalue" or "failedReason"
    redis.call("HSET", key, "atm", made, field, value, "finishedOn", now)
    if target == "failed" then
      redis.call("HDEL", key, "defa")
    end
    evict_finished(q, set, now, outcome.keep)
  end
  if target == "completed" then
    redis.call("XADD", q.events, "*",
      "event", "completed", "jobId", job_id, "returnvalue", value, "prev", "active")
  else
    redis.call("XADD", q.events, "*",
      "event", "failed", "jobId", job_id, "failedReason", value, "prev", "active")
    if made >= outcome.attempts then
      redis.call("XADD", q.events, "*",
        "event", "retries-exhausted", "jobId", job_id, "attemptsMade", made)
    end
  end
  if max_points then
    count_minute(q, target, now, max_points)
  end
end
