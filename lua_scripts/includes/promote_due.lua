--- Let due delayed jobs into the line, at most 1000 at a time; also while the queue is paused.
--- @include push_prioritized
--- @include mark_runnable
local function promote_due(q, now, blocked)
  local due = redis.call("ZRANGEBYSCORE", q.delayed, 0, (now + 1) * 4096 - 1, "LIMIT", 0, 1000)
  if #due == 0 then
    return
  end
  redis.call("ZREM", q.delayed, unpack(due))
  local plain = {}
  for _, job_id in ipairs(due) do
    local priority = tonumber(redis.call("HGET", q.base .. job_id, "priority")) or 0
    if priority == 0 then
      plain[#plain + 1] = job_id
    else
      push_prioritized(q, job_id, priority)
    end
    redis.call("XADD", q.events, "*", "event", "waiting", "jobId", job_id, "prev", "delayed")
    redis.call("HSET", q.base .. job_id, "delay", "0")
  end
  if #plain > 0 then
    redis.call("LPUSH", q.wait, unpack(plain))
  end
  if not blocked then
    mark_runnable(q)
  end
end
