--- Whether somebody works on a job or, if asked, on one of its unfinished descendants.
local function has_lock_below(job_key, with_children)
  local stack, seen = { job_key }, {}
  while #stack > 0 do
    local key = table.remove(stack)
    if not seen[key] then
      seen[key] = true
      if redis.call("EXISTS", key .. ":lock") == 1 then
        return true
      end
      for _, child_key in ipairs(with_children and redis.call("SMEMBERS", key .. ":dependencies") or {}) do
        stack[#stack + 1] = child_key
      end
    end
  end
  return false
end
