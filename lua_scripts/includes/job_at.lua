--- Read one job of a batch from ARGV, its fields in the order of the `@item` lines of add_jobs.
local NOTHING_MORE = {}
local function job_at(i)
  local more = ARGV[i + 8]
  return {
    id = ARGV[i],
    name = ARGV[i + 1],
    data = ARGV[i + 2],
    opts = ARGV[i + 3],
    timestamp = ARGV[i + 4],
    delay = ARGV[i + 5],
    priority = ARGV[i + 6],
    place = ARGV[i + 7],
    more = more == "" and NOTHING_MORE or cmsgpack.unpack(more),
  }
end
