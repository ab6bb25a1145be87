--- Call a variadic command with a list of any length, within what unpack can hold.
local function in_chunks(command, key, members)
  for first = 1, #members, 5000 do
    redis.call(command, key, unpack(members, first, math.min(first + 4999, #members)))
  end
end
