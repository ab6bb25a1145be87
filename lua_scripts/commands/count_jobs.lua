--- Count the jobs of several states at one moment.
---
--- BullMQ 4's wake-up mark at the tail of wait is no job; more than one entry, and it goes.
---
--- @key    base   what the queue's keys begin with
--- @item   state  the state's key: wait, active, delayed, ...
--- @return the counts, in order
--- @bullmq getCounts
--- @include queue_at
--- @include drop_mark
local q = queue_at(KEYS[1])
local LISTS = { wait = true, active = true, paused = true }
local counts = {}
for number, state in ipairs(ARGV) do
  local key = q.base .. state
  if LISTS[state] then
    local marks = state == "active" and 0 or drop_mark(key)
    counts[number] = redis.call("LLEN", key) - marks
  else
    counts[number] = redis.call("ZCARD", key)
  end
end
return counts
