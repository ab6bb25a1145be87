--- Add a scheduler's run and make it the current one; its id and its delay, ms.
---
--- run is {scheduler_id, due, now, name, data, opts, priority, place}. opts is the text of a JSON
--- object with at least one member; id and delay, which the caller could not know, are put in front.
--- place is where it goes if it is due now: LPUSH, RPUSH or prioritized.
--- @include max_events
--- @include new_line
--- @include store_job
--- @include enqueue
--- @include join_line
--- @include run_id
local function add_run(q, run)
  local line = new_line(q)
  line.max_len = max_events(q)
  local delay = math.max(0, run.due - run.now)
  local job = {
    id = run_id(run.scheduler_id, run.due),
    name = run.name,
    data = run.data,
    timestamp = string.format("%.0f", run.now),
    delay = string.format("%.0f", delay),
    priority = run.priority,
    place = delay > 0 and "delayed" or run.place,
    more = { rjk = run.scheduler_id },
  }
  job.opts = '{"jobId":' .. cjson.encode(job.id) .. ',"delay":' .. job.delay .. "," .. run.opts:sub(2)
  redis.call("ZADD", q.repeats, string.format("%.0f", run.due), run.scheduler_id)
  redis.call("INCR", q.id)
  store_job(q, job)
  enqueue(line, job)
  join_line(line)
  return job.id, delay
end
