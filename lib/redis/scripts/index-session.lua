--[[
  Adds an unindexed session to its user's index, whose TTL becomes at least that of its longest-lived member.

  KEYS[1]  the session's key
  KEYS[2]  the index
  ARGV[1]  the token
  ARGV[2]  the field of the last activity: a ghost has no other

  Output   { hits, misses, 1 } indexed; { hits, misses, 0 } it changed meanwhile: deleted, a ghost, or indexed;
           { hits, misses, -1 } the index has another type.
]]
-- @include "lookups"
-- @include "unless-wrong-type"
if typeOf(KEYS[1]) ~= 'hash' then return { hits, misses(), 0 } end
hits = hits + 1
if redis.call('HLEN', KEYS[1]) == 1 then
  hits = hits + 1
  if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then return { hits, misses(), 0 } end
end
local session = pttlOf(KEYS[1])
local index = pttlOf(KEYS[2])
local added = unlessWrongType('SADD', KEYS[2], ARGV[1])
if not added then return { hits, misses(), -1 } end
if added == 0 then return { hits, misses(), 0 } end
if session == -1 then
  redis.call('PERSIST', KEYS[2])
elseif index == -2 or (index >= 0 and index < session) then
  redis.call('PEXPIRE', KEYS[2], session)
end
return { hits, misses(), 1 }
