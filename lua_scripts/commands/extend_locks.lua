--- Renew locks that are still held; none is made anew.
---
--- @key    base     what the queue's keys begin with
--- @arg    lock_ms  how long they last from now, whole ms
--- @item   id       the job
--- @item   token    its lock token
--- @return ids of the jobs whose lock is gone or another's
--- @bullmq extendLock, extendLocks
--- @include queue_at
--- @include in_chunks
local q = queue_at(KEYS[1])
local kept, lost = {}, {}
for i = 2, #ARGV, 2 do
  local job_id, token = ARGV[i], ARGV[i + 1]
  local lock = q.base .. job_id .. ":lock"
  if redis.call("GET", lock) == token then
    redis.call("SET", lock, token, "PX", ARGV[1])
    kept[#kept + 1] = job_id
  else
    lost[#lost + 1] = job_id
  end
end
in_chunks("SREM", q.stalled, kept)
return lost
