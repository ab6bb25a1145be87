--- Take the next jobs into work, each locked.
---
--- @key    base        what the queue's keys begin with
--- @arg    now         ms, the caller's clock
--- @arg    want        how many jobs at most
--- @arg    token       lock token; "0" takes no lock
--- @arg    lock_ms     how long a lock lasts without renewal, whole ms
--- @arg    worker      the worker's name, or empty
--- @arg    limit_max   the worker's rate limit: jobs per window, or empty
--- @arg    limit_ms    length of that window in ms, or empty
--- @return {ms of rate limit left, ms of the next delayed job or 0, 1 if paused or at its global
---         concurrency, id, flat fields, id, flat fields, ...}
--- @emits  active | waiting
--- @bullmq moveToActive
--- @include queue_at
--- @include fetch_next
return fetch_next(queue_at(KEYS[1]), tonumber(ARGV[1]), tonumber(ARGV[2]), {
  token = ARGV[3],
  lock_ms = ARGV[4],
  name = ARGV[5],
  max = tonumber(ARGV[6]),
  duration = tonumber(ARGV[7]),
})
