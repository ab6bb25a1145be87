--- The keys of one queue by name, each built when first asked for.
---
--- One declared key, the queue's base such as `bull:mail:`, stands for all of them: they share its
--- slot, and a call carries one key instead of a dozen. An unknown name is an error.
local SUFFIXES = {
  wait = "wait",
  paused = "paused",
  active = "active",
  prioritized = "prioritized",
  pc = "pc",
  delayed = "delayed",
  completed = "completed",
  failed = "failed",
  waiting_children = "waiting-children",
  stalled = "stalled",
  stalled_check = "stalled-check",
  limiter = "limiter",
  marker = "marker",
  events = "events",
  meta = "meta",
  id = "id",
  repeats = "repeat",
}
local function queue_at(base)
  return setmetatable({ base = base }, {
    __index = function(q, name)
      local key = base .. SUFFIXES[name]
      q[name] = key
      return key
    end,
  })
end
