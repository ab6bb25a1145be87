--- Free a finished job's deduplication id, and enqueue what was parked behind it.
---
--- A window with time left stays. The parked job is the last add that came while its owner was
--- active (keepLastIfActive); it is added as any other, with the finish as its time.
--- @include new_line
--- @include store_job
--- @include enqueue
--- @include join_line
--- @include max_events
local function release_deduplication(q, job_id, deduplication_id, now)
  local owner_key = q.base .. "de:" .. deduplication_id
  local ttl = redis.call("PTTL", owner_key)
  if ttl == 0 or (ttl == -1 and redis.call("GET", owner_key) == job_id) then
    redis.call("DEL", owner_key)
  end
  local parked_key = q.base .. "dn:" .. deduplication_id
  local parked = redis.call("HMGET", parked_key, "name", "data", "opts", "jid", "pk", "pd", "pdk", "rjk")
  if not parked[1] then
    return
  end
  local opts = cjson.decode(parked[3])
  local count = redis.call("INCR", q.id)
  local job = {
    id = parked[4] or string.format("%.0f", count),
    name = parked[1],
    data = parked[2],
    opts = parked[3],
    timestamp = now,
    delay = opts.delay or 0,
    priority = opts.priority or 0,
    more = {
      parentKey = parked[5] or nil,
      parent = parked[6] or nil,
      rjk = parked[8] or nil,
      deid = deduplication_id,
    },
  }
  local ttl_ms = opts.de and not opts.de.keepLastIfActive and tonumber(opts.de.ttl) or 0
  if ttl_ms > 0 then
    redis.call("SET", owner_key, job.id, "PX", ttl_ms)
  else
    redis.call("SET", owner_key, job.id)
  end
  job.place = (tonumber(job.delay) or 0) > 0 and "delayed"
    or job.priority ~= 0 and "prioritized"
    or opts.lifo and "RPUSH"
    or "LPUSH"
  local line = new_line(q)
  line.max_len = max_events(q)
  store_job(q, job)
  enqueue(line, job)
  join_line(line)
  if parked[7] then
    redis.call("SADD", parked[7], q.base .. job.id)
  end
  redis.call("DEL", parked_key)
end
