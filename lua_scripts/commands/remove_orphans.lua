--- Delete what is stored of jobs that are in no state, their locks too.
---
--- @key    base  what the queue's keys begin with
--- @item   id    a job id to look at
--- @return how many of them went
--- @bullmq removeOrphanedJobs
--- @include queue_at
--- @include delete_job
local q = queue_at(KEYS[1])
local SETS = { "completed", "failed", "delayed", "prioritized", "waiting_children", "repeats" }
local LISTS = { "wait", "active", "paused" }

local function has_state(job_id)
  for _, name in ipairs(SETS) do
    if redis.call("ZSCORE", q[name], job_id) then
      return true
    end
  end
  for _, name in ipairs(LISTS) do
    if redis.call("LPOS", q[name], job_id) then
      return true
    end
  end
  return redis.call("SISMEMBER", q.stalled, job_id) == 1
end

local removed = 0
for _, job_id in ipairs(ARGV) do
  if not has_state(job_id) then
    local key = q.base .. job_id
    local deleted = delete_job(key) + redis.call("DEL", key .. ":lock")
    removed = removed + math.min(deleted, 1)
  end
end
return removed
