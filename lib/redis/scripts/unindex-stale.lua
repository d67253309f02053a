--[[
  Takes an entry out of an index, if its session is still gone.

  KEYS[1]  the session's key
  KEYS[2]  the index
  ARGV[1]  the token

  Output   { hits, misses, removed (0 or 1) }
]]
-- @include "unless-wrong-type"
if redis.call('EXISTS', KEYS[1]) == 1 then return { 1, 0, 0 } end
return { 0, 1, unlessWrongType('SREM', KEYS[2], ARGV[1]) or 0 }
