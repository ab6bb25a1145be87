--- The id of a scheduler's run that is due at a moment, ms.
local function run_id(scheduler_id, due)
  return "repeat:" .. scheduler_id .. ":" .. string.format("%.0f", due)
end
