--- Wipe a job that has left its state: its parent goes with it or is released, its
--- deduplication id is free, all its keys go. No event tells of it.
--- @include unlink_from_parent
--- @include free_deduplication
--- @include delete_job
local function wipe_job(q, job_id)
  local key = q.base .. job_id
  local stored = redis.call("HMGET", key, "parentKey", "deid")
  if stored[1] then
    unlink_from_parent(q, job_id, true)
  end
  free_deduplication(q, job_id, stored[2])
  delete_job(key)
end
