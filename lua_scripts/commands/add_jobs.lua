--- Add jobs to one queue, each on its own merits, in their order.
---
--- @key    base       what the queue's keys begin with
--- @item   id         custom id, or empty for the next number
--- @item   name       what kind of work
--- @item   data       JSON, stored as it is
--- @item   opts       JSON, stored as it is
--- @item   timestamp  creation time, ms; a delay counts from it
--- @item   delay      ms, as stored
--- @item   priority   as stored; 0 for none
--- @item   place      LPUSH | RPUSH (wait, served last or next) | prioritized | delayed | waiting-children
--- @item   more       msgpack {parentKey, parent, deduplication}, or empty
--- @return per job its id, or the id of the job that is already there, or an @error
--- @error  -5         the parent does not exist
--- @error  -7         the job exists and has another living parent
--- @emits  added | waiting | delayed | waiting-children | duplicated | deduplicated | removed
--- @bullmq addStandardJob, addDelayedJob, addPrioritizedJob, addParentJob
--- @include queue_at
--- @include new_line
--- @include job_at
--- @include add_job
--- @include join_line
local line = new_line(queue_at(KEYS[1]))
local ids = {}
for i = 1, #ARGV, 9 do
  ids[#ids + 1] = add_job(line, job_at(i), false)
end
join_line(line)
return ids
