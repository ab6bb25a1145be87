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
--- @include drop_mark
local q = queue_at(KEYS[1])
local state, first, last, asc = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == "1"
local key = q.base .. state
if state ~= "wait" and state ~= "active" and state ~= "paused" then
  return redis.call(asc and "ZRANGE" or "ZREVRANGE", key, first, last)
end
if state ~= "active" and drop_mark(key) > 0 then
  return {}
end
if not asc then
  return redis.call("LRANGE", key, first, last)
end
-- The oldest is at the tail: read the mirrored range and turn it round.
local newest_first = redis.call("LRANGE", key, -1 - last, -1 - first)
local ids = {}
for i = #newest_first, 1, -1 do
  ids[#ids + 1] = newest_first[i]
end
return ids
