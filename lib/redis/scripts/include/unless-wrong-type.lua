--[[
  Defines unlessWrongType(command…): its reply, and nil where the key is of another type. Any other refusal (a full server,
  a replica, a key that is not permitted) ends the script: it is no answer about the key. onlyWrongType(reply) does that
  for a refusal that a pcall has given, where a call of a function for each key takes too long.
]]
local function onlyWrongType(reply)
  if not string.find(reply.err, 'WRONGTYPE', 1, true) then error(reply.err, 0) end
end
local function unlessWrongType(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then return reply end
  onlyWrongType(reply)
end
