--- Wipe up to `limit` jobs of a sorted set, lowest score first; how many went.
--- @include in_chunks
--- @include wipe_job
local function obliterate_set(q, set, limit)
  local ids = limit > 0 and redis.call("ZRANGE", set, 0, limit - 1) or {}
  in_chunks("ZREM", set, ids)
  for _, job_id in ipairs(ids) do
    wipe_job(q, job_id)
  end
  return #ids
end
