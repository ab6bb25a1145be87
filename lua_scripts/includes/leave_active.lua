--- Take a job out of active, if its worker still may: 0, or a negative code.
---
--- held is the token in the job's lock. fields are hash fields to write once the lock was right.
--- The caller deletes the lock, also where the job then was not in active (-3). The removal comes
--- first: a server out of memory refuses a script's first write if it stores something.
--- @include lock_verdict
local function leave_active(q, outcome, held)
  local verdict = lock_verdict(held, outcome.token)
  if verdict ~= 0 then
    return verdict
  end
  local removed = redis.call("LREM", q.active, -1, outcome.id)
  if outcome.fields ~= "" then
    redis.call("HSET", q.base .. outcome.id, unpack(cmsgpack.unpack(outcome.fields)))
  end
  return removed == 0 and -3 or 0
end
