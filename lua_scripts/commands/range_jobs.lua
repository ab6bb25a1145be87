--- Read job ids of one state, a page by its positions.
---
--- @key    base   what the queue's keys begin with
--- @arg    state  the state's key: wait, active, delayed, ...
--- @arg    start  first position, from 0; negative counts from the end
--- @arg    end    last position, included
--- @arg    asc    1 for oldest (next to run, first due) first, 0 for newest first
--- @return the ids
--- @bullmq getRanges
--- @include queue_at
--- @include state_length
--- @include range_ids
local q = queue_at(KEYS[1])
if state_length(q, ARGV[1]) == 0 then
  return {}
end
return range_ids(q, ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == "1")
