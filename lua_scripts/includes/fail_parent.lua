--- Mark a parent as failed by a child and let it be picked up, unless it failed already.
---
--- A parent that is waiting, active or completed only gets the mark.
--- @include release_parent
--- @include line_up
--- @include is_blocked
local function fail_parent(parent_queue, parent_id, child_key, now)
  local parent_key = parent_queue.base .. parent_id
  if redis.call("EXISTS", parent_key) == 0 then
    return
  end
  local reason = "child " .. child_key .. " failed"
  if redis.call("ZSCORE", parent_queue.waiting_children, parent_id) then
    redis.call("HSET", parent_key, "defa", reason)
    release_parent(parent_queue, parent_id, now)
  elseif redis.call("ZREM", parent_queue.delayed, parent_id) == 1 then
    redis.call("HSET", parent_key, "delay", "0", "defa", reason)
    local priority = tonumber(redis.call("HGET", parent_key, "priority")) or 0
    line_up(parent_queue, parent_id, priority, "RPUSH", is_blocked(parent_queue))
    redis.call("XADD", parent_queue.events, "*",
      "event", "waiting", "jobId", parent_id, "prev", "waiting-children")
  elseif not redis.call("ZSCORE", parent_queue.failed, parent_id) then
    redis.call("HSET", parent_key, "defa", reason)
  end
end
