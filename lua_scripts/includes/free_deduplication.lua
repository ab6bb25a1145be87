--- Free the deduplication id that a job owns, and drop what is parked behind it.
local function free_deduplication(q, job_id, deduplication_id)
  if not deduplication_id then
    return
  end
  local owner = q.base .. "de:" .. deduplication_id
  if redis.call("GET", owner) == job_id then
    redis.call("DEL", owner, q.base .. "dn:" .. deduplication_id)
  end
end
