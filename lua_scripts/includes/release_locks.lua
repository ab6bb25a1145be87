--- Delete the locks of jobs that were let go.
local function release_locks(q, ids)
  if #ids == 0 then
    return
  end
  local locks = {}
  for number, job_id in ipairs(ids) do
    locks[number] = q.base .. job_id .. ":lock"
  end
  redis.call("DEL", unpack(locks))
  redis.call("SREM", q.stalled, unpack(ids))
end
