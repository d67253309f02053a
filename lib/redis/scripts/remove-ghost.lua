--[[
  Removes a session that is still a ghost (a hash with only its last activity), and its index entry.

  KEYS[1]  the session's key
  KEYS[2]  the index
  ARGV[1]  the token
  ARGV[2]  the field of the last activity

  Output   { hits, misses, removed (0 or 1) }
]]
-- @include "lookups"
-- @include "unless-wrong-type"
local size = unlessWrongType('HLEN', KEYS[1])
if size == 0 then miss(KEYS[1], 1) else hits = 1 end
if size ~= 1 then return { hits, misses(), 0 } end
hits = 2
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then return { hits, misses(), 0 } end
redis.call('UNLINK', KEYS[1])
unlessWrongType('SREM', KEYS[2], ARGV[1])
return { hits, misses(), 1 }
