--- Add one job of a batch: its id, the id of the job that is already there, or -5 or -7.
---
--- deferred: see adopt_existing.
--- @include max_events
--- @include store_job
--- @include enqueue
--- @include deduplicate
--- @include adopt_existing
local function add_job(line, job, deferred)
  local q = line.q
  local parent_key = job.more.parentKey
  if parent_key and redis.call("EXISTS", parent_key) == 0 then
    return -5
  end
  local max_len = line.max_len or max_events(q)
  line.max_len = max_len
  local count = redis.call("INCR", q.id)
  if job.id == "" then
    job.id = string.format("%.0f", count)
  elseif redis.call("EXISTS", q.base .. job.id) == 1 then
    return adopt_existing(q, job, max_len, deferred)
  end
  local deduplication = job.more.deduplication
  if deduplication then
    job.more.deid = deduplication.id
    local owner = deduplicate(q, job, deduplication, max_len)
    if owner then
      return owner
    end
  end
  store_job(q, job)
  enqueue(line, job)
  if parent_key then
    redis.call("SADD", parent_key .. ":dependencies", q.base .. job.id)
  end
  return job.id
end
