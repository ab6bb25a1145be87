--- The length to which the event stream is trimmed; the default is written down where it is missing.
local function max_events(q)
  local stored = redis.call("HGET", q.meta, "opts.maxLenEvents")
  if stored then
    return stored
  end
  redis.call("HSET", q.meta, "opts.maxLenEvents", "10000")
  return "10000"
end
