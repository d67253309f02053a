--[[
  Trims a list to its first elements or a sorted set to its highest scores, if it still equals its copy.

  KEYS[1]  the key
  ARGV[1]  'look' or 'trim'
  ARGV[2]  how many elements stay
  ARGV[3]  the last eight bytes of the DUMP it must have

  Output   { hits, misses, state, digest }: state 1 done, or it still equals the copy; 0 changed since, or of another type;
           2 missing; 3 not too long any more. The digest is that of the elements that stay.
]]
-- @include "lookups"
-- @include "kept-digest"
local key, most = KEYS[1], tonumber(ARGV[2])
local kind = typeOf(key)
if kind == 'none' then return { hits, misses(), 2, '' } end
if kind ~= 'list' and kind ~= 'zset' then return { hits, misses(), 0, '' } end
hits = hits + 1
if string.sub(redis.call('DUMP', key), -8) ~= ARGV[3] then return { hits, misses(), 0, '' } end
if lengthOf(key, kind) <= most then return { hits, misses(), 3, '' } end
local digest = digestOf(key, kind, most)
if ARGV[1] == 'trim' then
  if kind == 'list' then redis.call('LTRIM', key, 0, most - 1) end
  if kind == 'zset' then redis.call('ZREMRANGEBYRANK', key, 0, -most - 1) end
end
return { hits, misses(), 1, digest }
