--- Decide whether a job is a duplicate by its deduplication id: the owner's id if so, else nil.
---
--- settings is job.more.deduplication {id, ttl, extend, replace, reschedule, keepLastIfActive}.
--- In a batch the owner may stand in the line that is not written yet; only delayed and active
--- owners are looked at, and these are always written.
--- @include delay_until
--- @include delete_job
--- @include mark_next_due
local function deduplicate(q, job, settings, max_len)
  local owner_key = q.base .. "de:" .. settings.id
  local parked_key = q.base .. "dn:" .. settings.id
  local ttl = tonumber(settings.ttl) or 0
  local keep_last = settings.keepLastIfActive

  local function own(id)
    if ttl > 0 and not keep_last then
      redis.call("SET", owner_key, id, "PX", math.floor(ttl))
    else
      redis.call("SET", owner_key, id)
    end
  end
  local function announce(kept, dropped)
    redis.call("XADD", q.events, "MAXLEN", "~", max_len, "*", "event", "deduplicated",
      "jobId", kept, "deduplicationId", settings.id, "deduplicatedJobId", dropped)
  end

  local owner = redis.call("GET", owner_key)
  if not owner then
    own(job.id)
    return nil
  end
  if settings.replace and redis.call("ZREM", q.delayed, owner) == 1 then
    delete_job(q.base .. owner)
    redis.call("XADD", q.events, "*", "event", "removed", "jobId", owner, "prev", "delayed")
    announce(job.id, owner)
    redis.call("DEL", parked_key)
    if ttl > 0 and not settings.extend and not keep_last then
      redis.call("SET", owner_key, job.id, "KEEPTTL")
    else
      own(job.id)
    end
    return nil
  end
  if redis.call("PTTL", owner_key) == -1 and redis.call("EXISTS", q.base .. owner) == 0 then
    redis.call("DEL", parked_key)
    own(job.id)
    return nil
  end
  if keep_last and redis.call("LPOS", q.active, owner) then
    redis.call("DEL", parked_key)
    redis.call("HSET", parked_key,
      "name", job.name, "data", job.data, "opts", job.opts, "jid", job.id)
    redis.call("PERSIST", owner_key)
    announce(owner, job.id)
    return owner
  end
  if settings.replace then
    return owner
  end
  if ttl > 0 and settings.extend then
    own(owner)
  end
  announce(owner, job.id)
  if settings.reschedule and redis.call("ZSCORE", q.delayed, owner) then
    local due = tonumber(job.timestamp) + math.max(tonumber(job.delay), 0)
    redis.call("HSET", q.base .. owner, "delay", job.delay)
    redis.call("ZREM", q.delayed, owner)
    delay_until(q, owner, due)
    redis.call("XADD", q.events, "MAXLEN", "~", max_len, "*",
      "event", "delayed", "jobId", owner, "delay", due)
    mark_next_due(q)
  end
  return owner
end
