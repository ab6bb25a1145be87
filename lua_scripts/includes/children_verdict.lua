--- Whether a job may complete as a parent: 0, or -4 with open children, or -9 with failed ones.
local function children_verdict(job_key)
  if redis.call("SCARD", job_key .. ":dependencies") > 0 then
    return -4
  end
  return redis.call("ZCARD", job_key .. ":unsuccessful") > 0 and -9 or 0
end
