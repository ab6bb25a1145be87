--- Remove finished jobs that a retention rule does not keep: by age first, then by count.
---
--- keep is {age in seconds, limit of removals by age, count}, each or nil. The rule of the job that
--- just finished goes for the whole set. Of aged jobs the newest go first.
--- @include in_chunks
--- @include unlink_from_parent
--- @include delete_job
local function evict_finished(q, set, now, keep)
  local function remove(ids)
    for _, job_id in ipairs(ids) do
      unlink_from_parent(q, job_id, false)
      delete_job(q.base .. job_id)
    end
  end
  if keep.age then
    local cut = now - keep.age * 1000
    local limit = keep.limit or 1000
    local aged = redis.call("ZREVRANGEBYSCORE", set, cut, "-inf", "LIMIT", 0, limit)
    remove(aged)
    if #aged < limit then
      redis.call("ZREMRANGEBYSCORE", set, "-inf", cut)
    elseif #aged > 0 then
      in_chunks("ZREM", set, aged)
    end
  end
  if keep.count and keep.count > 0 then
    remove(redis.call("ZREVRANGE", set, keep.count, -1))
    redis.call("ZREMRANGEBYRANK", set, 0, -(keep.count + 1))
  end
end
