--- Count a finished job in the per-minute metrics of its state, keeping max_points minutes.
---
--- The list holds one number per full minute, newest first; the running minute is not in it.
local function count_minute(q, target, now, max_points)
  local key = q.base .. "metrics:" .. target
  local before = redis.call("HINCRBY", key, "count", 1) - 1
  local previous = redis.call("HMGET", key, "prevTS", "prevCount")
  if not previous[1] then
    redis.call("HSET", key, "prevTS", now, "prevCount", 0)
    return
  end
  local passed = math.floor(now / 60000) - math.floor(tonumber(previous[1]) / 60000)
  local points = math.min(passed, max_points)
  if points <= 0 then
    return
  end
  redis.call("LPUSH", key .. ":data", before - tonumber(previous[2]))
  for _ = 2, points do
    redis.call("LPUSH", key .. ":data", 0)
  end
  redis.call("LTRIM", key .. ":data", 0, max_points - 1)
  redis.call("HSET", key, "prevTS", now, "prevCount", before)
end
