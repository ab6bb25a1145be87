--- Count the jobs of several states at one moment.
---
--- @key    base   what the queue's keys begin with
--- @item   state  the state's key: wait, active, delayed, ...
--- @return the counts, in order
--- @bullmq getCounts
--- @include queue_at
--- @include state_length
local q = queue_at(KEYS[1])
local counts = {}
for number, state in ipairs(ARGV) do
  counts[number] = state_length(q, state)
end
return counts
