--[[
  Runs one read that a user typed, and answers its reply only if that is not too long.

  KEYS     the keys it looks up
  ARGV[1]  the most bytes
  then     the command

  Output   { 0, 0, state, reply }: state 1 answered, 0 too long, 2 refused by the server with reply as its error. Its look-ups
           are counted by who sends it.
]]
-- @include "reply-bytes"
local reply = redis.pcall(unpack(ARGV, 2))
if type(reply) == 'table' and reply.err then return { 0, 0, 2, reply.err } end
if isTooLong(reply, tonumber(ARGV[1])) then return { 0, 0, 0, '' } end
return { 0, 0, 1, reply }
