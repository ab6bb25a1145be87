--- Read a range of a parent's finished or open children, with their jobs.
---
--- Walks from the beginning in steps of 1000, so a far page costs more than a near one.
---
--- @key    base   what the queue's keys begin with
--- @arg    id     the parent
--- @arg    kind   processed | pending
--- @arg    start  position of the first child
--- @arg    end    position of the last child, included; -1 for all
--- @return {how many there are in all, child key, JSON result or empty, flat fields of its job, ...}
--- @bullmq paginate
--- @include queue_at
local key = queue_at(KEYS[1]).base .. ARGV[1]
local processed = ARGV[2] == "processed"
local first, last = tonumber(ARGV[3]), tonumber(ARGV[4])
local scan, step = "SSCAN", 1
if processed then
  key, scan, step = key .. ":processed", "HSCAN", 2
else
  key = key .. ":dependencies"
end
local reply = { redis.call(processed and "HLEN" or "SCARD", key) }
local cursor, position = "0", 0
repeat
  local found
  cursor, found = unpack(redis.call(scan, key, cursor, "COUNT", 1000))
  for i = 1, #found, step do
    if position >= first and (last < 0 or position <= last) then
      reply[#reply + 1] = found[i]
      reply[#reply + 1] = processed and found[i + 1] or ""
      reply[#reply + 1] = redis.call("HGETALL", found[i])
    end
    position = position + 1
  end
until cursor == "0" or (last >= 0 and position > last)
return reply
