--- When a scheduler with an interval runs next, and the offset of its runs: ms, ms.
---
--- previous is when it ran, or is to run, last; nil for a new one. terms is {every, offset, start}, ms;
--- start is nil where none was given. The runs stand on the grid of the previous one; slots that
--- passed meanwhile are skipped.
local function next_every(previous, now, terms)
  local every, offset = terms.every, terms.offset
  local slot = math.floor(now / every) * every + offset
  local due = now
  if previous then
    due = previous + every
    if due < now then
      due = slot > now and slot or slot + every
    end
  elseif terms.start then
    due = math.max(terms.start, now)
  elseif offset > 0 then
    due = slot > now and slot or slot + every
  end
  if offset == 0 then
    offset = due - math.floor(due / every) * every
  end
  return math.floor(due), math.floor(offset)
end
