--- Which of some ids stand in one of the lists wait, active and paused: a set of them.
---
--- A few are looked up one by one; for many, one walk over the lists costs less than one for each.
local function listed_among(q, ids)
  local found, wanted = {}, {}
  for _, id in ipairs(ids) do
    wanted[id] = true
  end
  for _, list in ipairs({ q.wait, q.active, q.paused }) do
    if #ids <= 10 then
      for _, id in ipairs(ids) do
        found[id] = found[id] or redis.call("LPOS", list, id) ~= false
      end
    else
      for first = 0, redis.call("LLEN", list) - 1, 5000 do
        for _, id in ipairs(redis.call("LRANGE", list, first, first + 4999)) do
          found[id] = wanted[id]
        end
      end
    end
  end
  return found
end
