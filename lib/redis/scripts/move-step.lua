--[[
  One step of moving or copying a key into another slot of a cluster, only while the key is what was read.

  KEYS[1]  the key
  ARGV[1]  'dump' the key; 'compare' it; 'delete' it
  ARGV[2]  the type that it must have
  ARGV[3]  'length:digest' of the content that it must have, from key-look
  ARGV[4]  for 'dump': the most bytes of memory of a key that is read; for 'delete': the last eight bytes of the DUMP that it
           must have, compared where the content is too large for a digest. Another node may DUMP the same set differently
  ARGV[5]  the expiry that it must have, epoch ms, -1 never; '' for any

  Output   { hits, misses, state, DUMP or '', expiry }: state 1 done; 0 changed since; 3 its type changed, followed by it;
           5 too large
]]
-- @include "lookups"
-- @include "expiry"
-- @include "same-expiry"
-- @include "key-digest"
local key, action = KEYS[1], ARGV[1]
local kind, length, digest = stateOf(key)
if kind ~= ARGV[2] then return { hits, misses(), 3, kind } end
if length .. ':' .. digest ~= ARGV[3] then return { hits, misses(), 0 } end
local expires = expiryOf(key)
if isOtherExpiry(expires, ARGV[5]) then return { hits, misses(), 0 } end
if action == 'dump' and redis.call('MEMORY', 'USAGE', key) > tonumber(ARGV[4]) then
  return { hits, misses(), 5 }
end
local dump = ''
if action == 'dump' or (action == 'delete' and digest == '') then
  dump = redis.call('DUMP', key)
  hits = hits + 1
  if action == 'delete' and string.sub(dump, -8) ~= ARGV[4] then return { hits, misses(), 0 } end
end
if action == 'delete' then redis.call('UNLINK', key) end
return { hits, misses(), 1, action == 'dump' and dump or '', string.format('%.0f', expires) }
