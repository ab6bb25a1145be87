--- What a batch is about to put into a queue's line, so that each list is written once.
---
--- LPUSH and RPUSH hold ids for wait, prioritized holds jobs. max_len, the bound of the event
--- stream, is read with the first job that is stored.
local function new_line(q)
  return { q = q, LPUSH = {}, RPUSH = {}, prioritized = {}, has_delayed = false, max_len = nil }
end
