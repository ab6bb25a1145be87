--- Hand out up to `want` jobs: {rate limit ttl, next due ms or 0, blocked 0 | 1, id, fields, ...}.
---
--- Due delayed jobs join the line first, even while nothing may start. worker is {token, lock_ms,
--- name, max, duration}; the queue's own max and duration stand in meta: its max goes before the
--- worker's, its duration behind it. Without any duration starts can't be counted, so they are not limited.
--- @include promote_due
--- @include rate_limit_ttl
--- @include take_ids
--- @include start_job
--- @include mark_runnable
--- @include next_due
local function fetch_next(q, now, want, worker)
  local meta = redis.call("HMGET", q.meta, "paused", "concurrency", "max", "duration")
  if meta[2] then
    want = math.min(want, math.ceil(tonumber(meta[2])) - redis.call("LLEN", q.active))
  end
  local blocked = meta[1] ~= false or want <= 0
  promote_due(q, now, blocked)
  local max = tonumber(meta[3] or worker.max)
  worker.duration = worker.duration or tonumber(meta[4])
  local counted = max and worker.duration
  local reply = { 0, 0, blocked and 1 or 0 }
  local started_on = string.format("%.0f", now)
  local fetched = 0
  repeat
    reply[1] = rate_limit_ttl(q, max)
    if blocked or reply[1] > 0 then
      break
    end
    -- A limited queue is fetched one by one: each start may close the window.
    local ids = take_ids(q, counted and 1 or want - fetched)
    for _, job_id in ipairs(ids) do
      reply[#reply + 1] = job_id
      reply[#reply + 1] = start_job(q, job_id, started_on, worker, counted)
    end
    fetched = fetched + #ids
  until #ids == 0 or fetched >= want
  if fetched > 0 then
    mark_runnable(q)
  end
  reply[2] = math.floor(next_due(q) or 0)
  return reply
end
