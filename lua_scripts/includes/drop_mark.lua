--- Drop BullMQ 4's wake-up mark from the tail of a list, unless it is all there is: how many stay.
local function drop_mark(list)
  local last = redis.call("LINDEX", list, -1)
  if not last or string.sub(last, 1, 2) ~= "0:" then
    return 0
  end
  if redis.call("LLEN", list) > 1 then
    redis.call("RPOP", list)
    return 0
  end
  return 1
end
