--[[
  Defines unlessWrongType(command…): its reply, and nil where the key has another type. Any other refusal (a full server,
  a replica, a key that is not permitted) ends the script: it says nothing about the key. Needs lookups. Elsewhere: nil, too. onlyWrongType(reply) does the same
  for the reply of a pcall, where a function call for each key takes too long; false where the key is elsewhere.
]]
local function onlyWrongType(reply)
  return string.find(reply.err, 'WRONGTYPE', 1, true) ~= nil or not isElsewhere(reply)
end
local function unlessWrongType(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then return reply end
  onlyWrongType(reply)
end
