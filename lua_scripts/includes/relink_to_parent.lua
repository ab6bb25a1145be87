--- Let a parent wait again for a child that leaves completed or failed.
---
--- The child becomes open again only where the parent has noted its end: a failed child without a
--- policy never stopped being open, and one whose failure the parent forgot (rdof) stays cut off.
--- The parent itself does not move, and a failure that the child handed up stays handed up.
local function relink_to_parent(q, job_id, state)
  local key = q.base .. job_id
  local parent_key = redis.call("HGET", key, "parentKey")
  if not parent_key or redis.call("EXISTS", parent_key) == 0 then
    return
  end
  local noted
  if state == "completed" then
    noted = redis.call("HDEL", parent_key .. ":processed", key) == 1
  else
    noted = redis.call("ZREM", parent_key .. ":unsuccessful", key) == 1
      or redis.call("HDEL", parent_key .. ":failed", key) == 1
  end
  if noted then
    redis.call("SADD", parent_key .. ":dependencies", key)
  end
end
