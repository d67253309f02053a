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
-- @include "key-digest"
local kind, length, digest = stateOf(KEYS[1])
if kind ~= ARGV[2] then return { hits, misses(), 3, kind } end
if length .. ':' .. digest ~= ARGV[3] then return { hits, misses(), 0 } end
if ARGV[1] == 'rename' then
  return { hits, misses(), redis.call('RENAMENX', KEYS[1], KEYS[2]) == 1 and 1 or 2 }
end
-- Since Redis 7, which brought PEXPIRETIME, COPY looks its source up for reading.
if type(redis.pcall('PEXPIRETIME', KEYS[1])) == 'number' then hits = hits + 2 end
return { hits, misses(), redis.call('COPY', KEYS[1], KEYS[2]) == 1 and 1 or 2 }
