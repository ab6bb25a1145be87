--- Write the jobs of a batch into wait and prioritized, in their order, and wake workers.
--- @include in_chunks
--- @include is_blocked
--- @include mark_runnable
--- @include mark_next_due
local function join_line(line)
  local q = line.q
  local runnable = #line.LPUSH + #line.RPUSH + #line.prioritized
  in_chunks("LPUSH", q.wait, line.LPUSH)
  in_chunks("RPUSH", q.wait, line.RPUSH)
  if #line.prioritized > 0 then
    local members = {}
    local last = redis.call("INCRBY", q.pc, #line.prioritized)
    for position, job in ipairs(line.prioritized) do
      local count = last - #line.prioritized + position
      members[#members + 1] = job.priority * 4294967296 + count % 4294967296
      members[#members + 1] = job.id
    end
    in_chunks("ZADD", q.prioritized, members)
  end
  if runnable > 0 and not is_blocked(q) then
    mark_runnable(q)
  end
  if line.has_delayed then
    mark_next_due(q)
  end
end
