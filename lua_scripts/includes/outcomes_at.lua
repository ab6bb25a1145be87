--- Read the outcomes of a batch from ARGV, their fields in the order of the `@item` lines of
--- finish_jobs, with the token that each job's lock holds.
local function outcomes_at(q, first)
  local outcomes, locks = {}, {}
  for i = first, #ARGV, 10 do
    outcomes[#outcomes + 1] = {
      id = ARGV[i],
      token = ARGV[i + 1],
      target = ARGV[i + 2],
      value = ARGV[i + 3],
      keep = {
        count = tonumber(ARGV[i + 4]),
        age = tonumber(ARGV[i + 5]),
        limit = tonumber(ARGV[i + 6]),
      },
      attempts = tonumber(ARGV[i + 7]),
      detail = ARGV[i + 8],
      fields = ARGV[i + 9],
    }
    locks[#locks + 1] = q.base .. ARGV[i] .. ":lock"
  end
  local held = #locks > 0 and redis.call("MGET", unpack(locks)) or {}
  for number, outcome in ipairs(outcomes) do
    outcome.held = held[number]
  end
  return outcomes
end
