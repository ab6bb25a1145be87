--- Put a job among the delayed, behind those due in the same millisecond.
---
--- The score is due * 4096 plus a counter in the low 12 bits; once these are used up, all further
--- jobs of that millisecond share the last score.
local function delay_until(q, job_id, due)
  local lowest = due * 4096
  local highest = (due + 1) * 4096 - 1
  local last = redis.call(
    "ZREVRANGEBYSCORE", q.delayed, highest, lowest, "WITHSCORES", "LIMIT", 0, 1)
  local score = lowest
  if last[2] then
    score = math.min(tonumber(last[2]) + 1, highest)
  end
  redis.call("ZADD", q.delayed, score, job_id)
end
