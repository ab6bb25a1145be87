--- Move up to n ids into active, in the order in which they are served.
---
--- wait goes before prioritized. Ids beginning "0:" are wake-up marks that BullMQ 4 left in wait;
--- they are dropped. The priority counter restarts once a fetch finds no prioritized job left.
local function take_ids(q, n)
  local ids = {}
  repeat
    local missing = n - #ids
    local popped = redis.call("RPOP", q.wait, missing) or {}
    for _, job_id in ipairs(popped) do
      if string.sub(job_id, 1, 2) ~= "0:" then
        ids[#ids + 1] = job_id
      end
    end
  until #popped < missing or #ids == n
  if #ids < n then
    local popped = redis.call("ZPOPMIN", q.prioritized, n - #ids)
    if #popped < 2 * (n - #ids) then
      redis.call("DEL", q.pc)
    end
    for i = 1, #popped, 2 do
      ids[#ids + 1] = popped[i]
    end
  end
  if #ids > 0 then
    redis.call("LPUSH", q.active, unpack(ids))
  end
  return ids
end
