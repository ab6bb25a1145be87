--- Whether the first of some timestamps of a job is not after `cutoff`; a job without any is.
local function is_older(q, job_id, fields, cutoff)
  for _, text in ipairs(redis.call("HMGET", q.base .. job_id, unpack(fields))) do
    local moment = text and tonumber(text)
    if moment then
      return moment <= cutoff
    end
  end
  return true
end
