--- Whether nothing may start now: the queue is paused or has its global concurrency in use.
local function is_blocked(q)
  local meta = redis.call("HMGET", q.meta, "paused", "concurrency")
  if meta[1] then
    return true
  end
  return meta[2] ~= false and redis.call("LLEN", q.active) >= tonumber(meta[2])
end
