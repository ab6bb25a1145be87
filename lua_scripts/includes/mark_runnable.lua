--- Wake an idle worker: something may be runnable now.
local function mark_runnable(q)
  redis.call("ZADD", q.marker, 0, "0")
end
