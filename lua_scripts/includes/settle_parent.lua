--- Tell a parent that a child finished: hand over the result, or apply the child's failure policy.
---
--- The policy stands in the child's stored `parent` JSON: fpof fails the parent, cpof continues it
--- at once, idof and rdof count the child as done. Without one the parent keeps waiting. A parent
--- is never failed here: it gets a deferred failure and goes where a worker will pick it up.
--- @include queue_at
--- @include release_parent
--- @include fail_parent
local function settle_parent(parent, child_key, target, value, now)
  local parent_queue = queue_at(parent.queueKey .. ":")
  local parent_id = tostring(parent.id)
  local parent_key = parent_queue.base .. parent_id
  local dependencies = parent_key .. ":dependencies"
  local ignores = parent.cpof or parent.idof or parent.rdof
  if target == "failed" and not (parent.fpof or ignores) then
    return
  end
  if redis.call("SREM", dependencies, child_key) == 0 then
    return
  end
  if target == "completed" then
    redis.call("HSET", parent_key .. ":processed", child_key, value)
  elseif parent.fpof then
    redis.call("ZADD", parent_key .. ":unsuccessful", now, child_key)
    fail_parent(parent_queue, parent_id, child_key, now)
    return
  elseif parent.cpof or parent.idof then
    redis.call("HSET", parent_key .. ":failed", child_key, value)
  end
  local continues = target == "failed" and parent.cpof
  if continues or redis.call("SCARD", dependencies) == 0 then
    release_parent(parent_queue, parent_id, now)
  end
end
