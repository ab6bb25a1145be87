--- Cut a job loose from its parent; release the parent if that was its last open child.
---
--- hard: the job is wiped (drain, clean, obliterate). A parent in the same queue then goes too,
--- and so on upwards; a parent elsewhere is released without an event.
--- Otherwise the parent goes to the front of wait, whatever its delay or priority.
--- known_parent_key, if given, stands in for what a child without a hash can't tell any more.
--- @include parent_of
--- @include delete_job
--- @include free_deduplication
--- @include is_blocked
--- @include line_up
local function unlink_from_parent(q, job_id, hard, known_parent_key)
  local key = q.base .. job_id
  local stored = redis.call("HMGET", key, "parentKey", "parent")
  stored[1] = stored[1] or known_parent_key
  while true do
    local parent_queue, parent_id = parent_of(stored)
    if not parent_queue then
      return
    end
    local parent_key = parent_queue.base .. parent_id
    local dependencies = parent_key .. ":dependencies"
    if redis.call("SREM", dependencies, key) == 0
      or redis.call("SCARD", dependencies) > 0
      or redis.call("ZREM", parent_queue.waiting_children, parent_id) == 0 then
      return
    end
    if not hard or parent_queue.base ~= q.base then
      line_up(parent_queue, parent_id, 0, "RPUSH", is_blocked(parent_queue))
      if not hard then
        redis.call("XADD", parent_queue.events, "*",
          "event", "waiting", "jobId", parent_id, "prev", "waiting-children")
      end
      return
    end
    stored = redis.call("HMGET", parent_key, "parentKey", "parent", "deid")
    free_deduplication(parent_queue, parent_id, stored[3])
    delete_job(parent_key)
    key = parent_key
  end
end
