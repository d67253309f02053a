--[[
  Puts an unindexed session into its user's index, which then lives as long as its longest member.

  KEYS[1]  the session's key
  KEYS[2]  the index
  ARGV[1]  the token

  Output   { hits, misses, 1 } indexed; { hits, misses, 0 } it changed meanwhile: gone, a ghost, or indexed by now;
           { hits, misses, -1 } the index is of another type.
]]
-- @include "unless-wrong-type"
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'hash' then return { kind == 'none' and 0 or 1, kind == 'none' and 1 or 0, 0 } end
local hits, misses = 3, 0
if redis.call('HLEN', KEYS[1]) == 1 then
  if redis.call('HEXISTS', KEYS[1], 'last_activity') == 1 then return { hits, 0, 0 } end
  hits = hits + 1
end
local session = redis.call('PTTL', KEYS[1])
local index = redis.call('PTTL', KEYS[2])
if index == -2 then misses = misses + 1 else hits = hits + 1 end
local added = unlessWrongType('SADD', KEYS[2], ARGV[1])
if not added then return { hits, misses, -1 } end
if added == 0 then return { hits, misses, 0 } end
if session == -1 then
  redis.call('PERSIST', KEYS[2])
elseif index == -2 or (index >= 0 and index < session) then
  redis.call('PEXPIRE', KEYS[2], session)
end
return { hits, misses, 1 }
