--- The first moment from `due` on, in steps of `every` ms, at which the scheduler has no run yet.
---
--- At most 32 steps are tried; nil if all are taken.
--- @include run_id
local function free_slot(q, scheduler_id, due, every)
  for _ = 0, 32 do
    if redis.call("EXISTS", q.base .. run_id(scheduler_id, due)) == 0 then
      return due
    end
    due = math.floor(due + every)
  end
  return nil
end
