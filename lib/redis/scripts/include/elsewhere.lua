--[[
  Defines isElsewhere(reply): whether a pcall failed because the key is on another node of a cluster, or is being moved
  there, or nobody serves it at the moment; the call did nothing then. Any other error ends the script. ELSEWHERE is the
  state of such a key: it is tried again by itself, on the node that has it.
]]
local ELSEWHERE = 'm'
local function isElsewhere(reply)
  if type(reply) ~= 'table' or not reply.err then return false end
  if string.find(reply.err, 'non local key', 1, true) or string.find(reply.err, 'the cluster is down', 1, true) then
    return true
  end
  error(reply.err, 0)
end
