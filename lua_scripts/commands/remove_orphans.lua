--- Delete what is stored of jobs that are in no state, their locks too.
---
--- Where a sorted set tells of a job, that is quick. For the others the lists are walked whole: with a
--- million jobs waiting nearly half a second, so name only jobs that were not seen in a list before.
---
--- @key    base  what the queue's keys begin with
--- @item   id    a job id to look at
--- @return how many of them went
--- @bullmq removeOrphanedJobs
--- @include queue_at
--- @include listed_among
--- @include delete_job
local q = queue_at(KEYS[1])
local SETS = { "completed", "failed", "delayed", "prioritized", "waiting_children", "repeats" }

local function has_set(job_id)
  for _, name in ipairs(SETS) do
    if redis.call("ZSCORE", q[name], job_id) then
      return true
    end
  end
  return redis.call("SISMEMBER", q.stalled, job_id) == 1
end

local suspects = {}
for _, job_id in ipairs(ARGV) do
  if not has_set(job_id) then
    suspects[#suspects + 1] = job_id
  end
end
local listed = #suspects > 0 and listed_among(q, suspects) or {}
local removed = 0
for _, job_id in ipairs(suspects) do
  if not listed[job_id] then
    local key = q.base .. job_id
    local deleted = delete_job(key) + redis.call("DEL", key .. ":lock")
    removed = removed + math.min(deleted, 1)
  end
end
return removed
