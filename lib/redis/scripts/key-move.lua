--[[
  Renames or copies a key that still is what was read, with its TTL. Never overwrites one.

  KEYS[1]  the key
  KEYS[2]  the new name
  ARGV[1]  'rename' or 'copy'
  ARGV[2]  the type that the key must have
  ARGV[3]  'length:digest' of the content that it must have, from key-look

  Output   { hits, misses, state }: 1 done; 0 changed since; 2 the new name is taken; 3 its type changed, followed by it
]]
-- @include "lookups"
-- @include "expiry"
-- @include "copy-key"
-- @include "key-digest"
local kind, length, digest = stateOf(KEYS[1])
if kind ~= ARGV[2] then return { hits, misses(), 3, kind } end
if length .. ':' .. digest ~= ARGV[3] then return { hits, misses(), 0 } end
if ARGV[1] == 'rename' then
  return { hits, misses(), redis.call('RENAMENX', KEYS[1], KEYS[2]) == 1 and 1 or 2 }
end
local copied = copyKey(KEYS[1], KEYS[2])
return { hits, misses(), copied and 1 or 2 }
