--- Handle the add of a job id that exists: its id, or -7 where another living parent has it.
---
--- The stored job stays as it is. With a parent it is attached to that one: a completed job hands
--- its result over, any other joins the parent's open children. Whether a parent has nothing left
--- to wait for is seen at once, unless deferred (a tree is released when all of it is in).
--- @include parent_of
--- @include release_parent
local function adopt_existing(q, job, max_len, deferred)
  local key = q.base .. job.id
  local current = redis.call("HGET", key, "parentKey")
  local wanted = job.more.parentKey
  if current and current ~= wanted and redis.call("EXISTS", current) == 1 then
    if wanted then
      return -7
    end
  elseif wanted then
    if redis.call("ZSCORE", q.completed, job.id) then
      redis.call("HSET", wanted .. ":processed", key, redis.call("HGET", key, "returnvalue") or "null")
    else
      redis.call("SADD", wanted .. ":dependencies", key)
    end
    redis.call("HSET", key, "parentKey", wanted, "parent", job.more.parent)
    if not deferred and redis.call("SCARD", wanted .. ":dependencies") == 0 then
      local parent_queue, parent_id = parent_of({ wanted, job.more.parent })
      release_parent(parent_queue, parent_id, tonumber(job.timestamp))
    end
  end
  redis.call("XADD", q.events, "MAXLEN", "~", max_len, "*", "event", "duplicated", "jobId", job.id)
  return job.id
end
