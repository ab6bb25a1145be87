--- Whether a token opens a lock: 0, or -2 where there is none, or -6 where it is another's.
---
--- Token "0" stands for no lock at all and passes.
local function lock_verdict(held, token)
  if token == "0" or held == token then
    return 0
  end
  return held and -6 or -2
end
