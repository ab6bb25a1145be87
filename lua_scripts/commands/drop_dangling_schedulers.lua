--- Take schedulers off the list whose definition is gone.
---
--- @key    base  what the queue's keys begin with
--- @item   id    a scheduler that may be one
--- @return how many went
--- @bullmq getJobSchedulers
--- @include queue_at
local q = queue_at(KEYS[1])
local dropped = 0
for _, id in ipairs(ARGV) do
  if redis.call("EXISTS", q.repeats .. ":" .. id) == 0 then
    dropped = dropped + redis.call("ZREM", q.repeats, id)
  end
end
return dropped
