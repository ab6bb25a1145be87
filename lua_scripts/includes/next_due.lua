--- When the earliest delayed job is due, in ms (possibly fractional); nil without delayed jobs.
local function next_due(q)
  local first = redis.call("ZRANGE", q.delayed, 0, 0, "WITHSCORES")
  return first[2] and tonumber(first[2]) / 4096
end
