--[[
  Defines unlessWrongType(command…): its reply, and nil where the key has another type. Any other refusal (a full server,
  a replica, a key that is not permitted) ends the script: it says nothing about the key. Needs lookups. Elsewhere: nil, too. onlyWrongType(reply) does the same
  for the reply of a pcall, where a function call for each key takes too long.
]]
local function onlyWrongType(reply)
  if not string.find(reply.err, 'WRONGTYPE', 1, true) then isElsewhere(reply) end
end
local function unlessWrongType(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then return reply end
  onlyWrongType(reply)
end
