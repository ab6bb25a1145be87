--- Tell idle workers when the earliest delayed job is due.
--- @include next_due
local function mark_next_due(q)
  local due = next_due(q)
  if due then
    redis.call("ZADD", q.marker, due, "1")
  end
end
