--[[
  Sets the TTL of a session without one, or ends it where no time remains. Its index lives at least as long.

  KEYS[1]  the session's key
  KEYS[2]  the index
  ARGV[1]  the token
  ARGV[2]  the field of the creation time, ARGV[3] its value that the TTL was computed from
  ARGV[4]  milliseconds to live; 0 or less: end it

  Output   { hits, misses, 1 } set; { hits, misses, 2 } ended; { hits, misses, 0 } it changed meanwhile.
]]
-- @include "lookups"
-- @include "unless-wrong-type"
if pttlOf(KEYS[1]) ~= -1 then return { hits, misses(), 0 } end
hits = hits + 1
if unlessWrongType('HGET', KEYS[1], ARGV[2]) ~= ARGV[3] then return { hits, misses(), 0 } end
local left = tonumber(ARGV[4])
if left <= 0 then
  redis.call('UNLINK', KEYS[1])
  unlessWrongType('SREM', KEYS[2], ARGV[1])
  return { hits, misses(), 2 }
end
redis.call('PEXPIRE', KEYS[1], left)
local index = pttlOf(KEYS[2])
if index >= 0 and index < left then redis.call('PEXPIRE', KEYS[2], left) end
return { hits, misses(), 1 }
