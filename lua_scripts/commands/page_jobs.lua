--- Read a page of one state's jobs, ids and hashes of one moment; ids without a hash are passed over.
---
--- @key    base   what the queue's keys begin with
--- @arg    state  the state's key: wait, active, delayed, ...
--- @arg    start  first position, from 0; negative counts from the end
--- @arg    end    last position, included
--- @arg    asc    1 for oldest (next to run, first due) first, 0 for newest first
--- @arg    want   how many jobs to find at most
--- @arg    look   how many positions to look at in this call at most
--- @return {position to go on from or -1 if the page is complete, id, flat fields, id, flat fields, ...}
--- @bullmq getRanges
--- @include queue_at
--- @include state_length
--- @include range_ids
local q = queue_at(KEYS[1])
local state, first, last, asc = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == "1"
local missing = tonumber(ARGV[5])
local length = state_length(q, state)
first = first < 0 and math.max(length + first, 0) or first
last = math.min(last < 0 and length + last or last, length - 1)
local stop = math.min(last, first + tonumber(ARGV[6]) - 1)
local reply = { -1 }
while first <= stop and missing > 0 do
  local ids = range_ids(q, state, first, math.min(stop, first + missing - 1), asc)
  for _, job_id in ipairs(ids) do
    local fields = redis.call("HGETALL", q.base .. job_id)
    if #fields > 0 then
      reply[#reply + 1] = job_id
      reply[#reply + 1] = fields
      missing = missing - 1
    end
  end
  first = first + #ids
end
if first <= last and missing > 0 then
  reply[1] = first
end
return reply
