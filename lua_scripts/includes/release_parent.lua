--- Let a parent out of waiting-children, by its own delay and priority.
---
--- The caller knows that it may go; nothing happens to a parent that is not waiting for children.
--- t is the finish time of the child in ms. A parent goes to the front of wait.
--- @include line_up
--- @include is_blocked
--- @include mark_next_due
local function release_parent(parent_queue, parent_id, t)
  if redis.call("ZREM", parent_queue.waiting_children, parent_id) == 0 then
    return
  end
  local stored = redis.call("HMGET", parent_queue.base .. parent_id, "priority", "delay")
  local priority = tonumber(stored[1]) or 0
  local delay = tonumber(stored[2]) or 0
  if delay > 0 then
    local due = t + delay
    redis.call("ZADD", parent_queue.delayed, due * 4096, parent_id)
    redis.call("XADD", parent_queue.events, "*", "event", "delayed", "jobId", parent_id, "delay", due)
    mark_next_due(parent_queue)
    return
  end
  line_up(parent_queue, parent_id, priority, "RPUSH", is_blocked(parent_queue))
  redis.call("XADD", parent_queue.events, "*",
    "event", "waiting", "jobId", parent_id, "prev", "waiting-children")
end
