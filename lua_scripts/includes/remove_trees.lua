--- Delete jobs and what hangs below them, each behind its descendants; parents elsewhere are told.
---
--- roots is a list of {q, id, parent_key}. children_of(job key) lists the keys of the children that
--- go with a job. Each job is unlinked before its descendants go. A tree is walked on a stack of its
--- own: its depth is a user's affair. No job is visited twice, whatever circle keys may form.
--- @include job_of_key
--- @include unlink_from_parent
--- @include remove_from_state
--- @include free_deduplication
--- @include delete_job
--- @include max_events
local function remove_trees(roots, children_of)
  local stack, seen = {}, {}
  for i = #roots, 1, -1 do
    stack[#stack + 1] = roots[i]
  end
  local function remove(q, job_id, key)
    local deduplication_id = redis.call("HGET", key, "deid")
    local state = remove_from_state(q, job_id)
    free_deduplication(q, job_id, deduplication_id)
    if delete_job(key) > 0 then
      redis.call("XADD", q.events, "MAXLEN", "~", max_events(q), "*",
        "event", "removed", "jobId", job_id, "prev", state)
    end
  end
  while #stack > 0 do
    local job = stack[#stack]
    local key = job.q.base .. job.id
    if job.entered then
      stack[#stack] = nil
      remove(job.q, job.id, key)
    elseif seen[key] then
      stack[#stack] = nil
    else
      seen[key], job.entered = true, true
      unlink_from_parent(job.q, job.id, false, job.parent_key)
      local children = children_of(key)
      for i = #children, 1, -1 do
        local child = job_of_key(children[i])
        child.parent_key = key
        stack[#stack + 1] = child
      end
    end
  end
end
