--- Count a parent's children by how they stand.
---
--- @key    base  what the queue's keys begin with
--- @arg    id    the parent
--- @return {processed, unprocessed, ignored, failed}
--- @bullmq getDependenciesCount
--- @include queue_at
local key = queue_at(KEYS[1]).base .. ARGV[1]
return {
  redis.call("HLEN", key .. ":processed"),
  redis.call("SCARD", key .. ":dependencies"),
  redis.call("HLEN", key .. ":failed"),
  redis.call("ZCARD", key .. ":unsuccessful"),
}
