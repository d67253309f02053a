--[[
  Ends one session: its hash, its index entry and its legacy keys, together.

  KEYS[1]    the session's key (of any type; it need not exist)
  KEYS[2]    the index: the set of the user's tokens
  KEYS[3..]  legacy keys of the same token, if any
  ARGV[1]    the token, as the index holds it

  Output     { hits, misses, hash, entry, legacy }: how many of each were removed.
             Hits and misses are 0: UNLINK and SREM look keys up for writing, which counts as neither.
]]
-- @include "unless-wrong-type"
local hash = redis.call('UNLINK', KEYS[1])
local legacy = 0
for i = 3, #KEYS do legacy = legacy + redis.call('UNLINK', KEYS[i]) end
-- An index of the wrong type must not keep the session alive.
local entry = unlessWrongType('SREM', KEYS[2], ARGV[1])
return { 0, 0, hash, entry or 0, legacy }
