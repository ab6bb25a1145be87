--- Wipe up to `limit` jobs of a list from its tail, with their locks; how many went.
--- @include wipe_job
local function obliterate_list(q, list, limit)
  local ids = limit > 0 and redis.call("RPOP", list, limit) or {}
  for _, job_id in ipairs(ids or {}) do
    redis.call("DEL", q.base .. job_id .. ":lock")
    wipe_job(q, job_id)
  end
  return #(ids or {})
end
