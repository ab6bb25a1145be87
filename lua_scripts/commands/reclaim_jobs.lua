--- Find the jobs that were handed out under a token, for a worker that lost the reply.
---
--- Looks at the newest 1000 active jobs only.
---
--- @key    base   what the queue's keys begin with
--- @arg    token  lock token of the lost call
--- @return {id, flat fields, id, flat fields, ...}
--- @include queue_at
local q = queue_at(KEYS[1])
local jobs = {}
for _, job_id in ipairs(redis.call("LRANGE", q.active, 0, 999)) do
  if redis.call("GET", q.base .. job_id .. ":lock") == ARGV[1] then
    jobs[#jobs + 1] = job_id
    jobs[#jobs + 1] = redis.call("HGETALL", q.base .. job_id)
  end
end
return jobs
