--- Delete a job and, if asked, all its descendants; nothing if somebody works on one of them.
---
--- A tree goes as a whole, however large.
---
--- @key    base           what the queue's keys begin with
--- @arg    id             the job
--- @arg    with_children  1 to delete the descendants too, else 0
--- @return 1 if it is gone, also if it was not there; 0 if there is a lock; or an @error
--- @error  -8             the job is the next run of a scheduler
--- @emits  removed | waiting
--- @bullmq removeJob
--- @include queue_at
--- @include is_next_run
--- @include has_lock_below
--- @include remove_trees
local q = queue_at(KEYS[1])
local job_id, with_children = ARGV[1], ARGV[2] == "1"

local function children_of(key)
  if not with_children then
    return {}
  end
  local children = redis.call("HKEYS", key .. ":processed")
  local function append(more)
    for _, child_key in ipairs(more) do
      children[#children + 1] = child_key
    end
  end
  append(redis.call("HKEYS", key .. ":failed"))
  append(redis.call("ZRANGE", key .. ":unsuccessful", 0, -1))
  append(redis.call("SMEMBERS", key .. ":dependencies"))
  return children
end

if is_next_run(q, job_id) then
  return -8
end
if has_lock_below(q.base .. job_id, with_children) then
  return 0
end
remove_trees({ { q = q, id = job_id } }, children_of)
return 1
