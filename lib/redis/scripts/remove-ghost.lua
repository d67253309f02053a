--[[
  Removes a session that is still a ghost (a hash with nothing but last_activity), and its index entry.

  KEYS[1]  the session's key
  KEYS[2]  the index
  ARGV[1]  the token

  Output   { hits, misses, removed (0 or 1) }
]]
-- @include "unless-wrong-type"
local size = unlessWrongType('HLEN', KEYS[1])
if size == 0 then return { 0, 1, 0 } end
if size ~= 1 then return { 1, 0, 0 } end
if redis.call('HEXISTS', KEYS[1], 'last_activity') == 0 then return { 2, 0, 0 } end
redis.call('UNLINK', KEYS[1])
unlessWrongType('SREM', KEYS[2], ARGV[1])
return { 2, 0, 1 }
