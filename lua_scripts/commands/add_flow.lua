--- Add job trees, each as a whole or not at all; release parents that have nothing to wait for.
---
--- Nodes come level by level, all roots first; this is the order in which they enter their queues.
---
--- @keys   bases      what the keys of each queue of the trees begin with
--- @arg    now        ms, the caller's clock
--- @item   tree       number of the tree the node belongs to, from 1
--- @item   queue      number of its queue among the KEYS, from 1
--- @item   id         as in add_jobs, like all below
--- @item   name       what kind of work
--- @item   data       JSON
--- @item   opts       JSON
--- @item   timestamp  ms
--- @item   delay      ms
--- @item   priority   0 for none
--- @item   place      LPUSH | RPUSH | prioritized | delayed | waiting-children
--- @item   more       msgpack, or empty
--- @return per node its id or, for each node of a refused tree, an @error
--- @error  -5         the parent of the root does not exist
--- @error  -7         a job of the tree exists and has another living parent
--- @emits  added | waiting | delayed | waiting-children | duplicated | deduplicated | removed
--- @bullmq addFlow
--- @include queue_at
--- @include new_line
--- @include job_at
--- @include refused_trees
--- @include add_job
--- @include join_line
--- @include parent_of
--- @include release_parent
local now = tonumber(ARGV[1])
local lines = {}
for number, base in ipairs(KEYS) do
  lines[number] = new_line(queue_at(base))
end
local nodes = {}
for i = 2, #ARGV, 11 do
  nodes[#nodes + 1] = { tree = ARGV[i], line = lines[tonumber(ARGV[i + 1])], job = job_at(i + 2) }
end

local refused = refused_trees(nodes)
local replies, parents, seen = {}, {}, {}
for number, node in ipairs(nodes) do
  local parent_key = node.job.more.parentKey
  replies[number] = refused[node.tree] or add_job(node.line, node.job, true)
  if parent_key and not refused[node.tree] and not seen[parent_key] then
    seen[parent_key] = true
    parents[#parents + 1] = { parent_key, node.job.more.parent }
  end
end
for _, line in ipairs(lines) do
  join_line(line)
end
for _, parent in ipairs(parents) do
  if redis.call("SCARD", parent[1] .. ":dependencies") == 0 then
    local parent_queue, parent_id = parent_of(parent)
    release_parent(parent_queue, parent_id, now)
  end
end
return replies
