--- Read a parent's children by how they stand, each kind whole or a page of it.
---
--- @key    base    what the queue's keys begin with
--- @arg    id      the parent
--- @item   kind    processed | unprocessed | ignored | failed
--- @item   cursor  where to go on, 0 at first; empty for the whole kind
--- @item   count   about how many; of failed at most
--- @return per item {cursor to go on with or 0, child keys; processed and ignored: with their values}
--- @bullmq getDependencies
--- @include queue_at
local key = queue_at(KEYS[1]).base .. ARGV[1]

local function all_of(kind)
  if kind == "unprocessed" then
    return redis.call("SMEMBERS", key .. ":dependencies")
  elseif kind == "failed" then
    return redis.call("ZRANGE", key .. ":unsuccessful", 0, -1)
  end
  return redis.call("HGETALL", key .. (kind == "processed" and ":processed" or ":failed"))
end

local function failed_page(first, count)
  local page = redis.call("ZRANGE", key .. ":unsuccessful", first, first + count - 1)
  -- BullMQ always says "first + count". After the first page we say 0 at the end, so that a loop
  -- until 0 ends.
  local more = first == 0 or redis.call("ZCARD", key .. ":unsuccessful") > first + count
  return { tostring(more and first + count or 0), page }
end

local answers = {}
for i = 2, #ARGV, 3 do
  local kind, cursor, count = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if cursor == "" then
    answers[#answers + 1] = { "0", all_of(kind) }
  elseif kind == "failed" then
    answers[#answers + 1] = failed_page(tonumber(cursor), tonumber(count))
  elseif kind == "unprocessed" then
    answers[#answers + 1] = redis.call("SSCAN", key .. ":dependencies", cursor, "COUNT", count)
  else
    local hash = key .. (kind == "processed" and ":processed" or ":failed")
    answers[#answers + 1] = redis.call("HSCAN", hash, cursor, "COUNT", count)
  end
end
return answers
