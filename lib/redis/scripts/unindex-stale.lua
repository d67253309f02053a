--[[
  Removes an entry from an index, if its session still does not exist.

  KEYS[1]  the session's key
  KEYS[2]  the index
  ARGV[1]  the token

  Output   { hits, misses, removed (0 or 1) }
]]
-- @include "lookups"
-- @include "unless-wrong-type"
if redis.call('EXISTS', KEYS[1]) == 1 then return { 1, misses(), 0 } end
miss(KEYS[1], 1)
return { hits, misses(), unlessWrongType('SREM', KEYS[2], ARGV[1]) or 0 }
