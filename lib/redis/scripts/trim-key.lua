--[[
  Trims a list to its first elements or a sorted set to its highest scores.

  KEYS[1]  the key
  ARGV[1]  'look' or 'trim'
  ARGV[2]  how many elements stay
  ARGV[3]  the last eight bytes of the DUMP it must have; '' for any, and then without a digest
  ARGV[4]  how many elements are removed at most: more at once would stop the server for others

  Output   { hits, misses, state, digest }: state 1 done, or it still equals the copy; 0 changed since, or of another type;
           2 missing; 3 not too long any more; 4 still too long. The digest is that of the elements that stay.
]]
-- @include "lookups"
-- @include "kept-digest"
local key, most, check, atOnce = KEYS[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local kind = typeOf(key)
if kind == 'none' then return { hits, misses(), 2, '' } end
if kind ~= 'list' and kind ~= 'zset' then return { hits, misses(), 0, '' } end
if check ~= '' then
  hits = hits + 1
  if string.sub(redis.call('DUMP', key), -8) ~= check then return { hits, misses(), 0, '' } end
end
local length = lengthOf(key, kind)
if length <= most then return { hits, misses(), 3, '' } end
local digest = check ~= '' and digestOf(key, kind, most) or ''
local removed = math.min(length - most, atOnce)
if ARGV[1] == 'trim' then
  if kind == 'list' then redis.call('LTRIM', key, 0, length - removed - 1) end
  if kind == 'zset' then redis.call('ZREMRANGEBYRANK', key, 0, removed - 1) end
end
return { hits, misses(), length - removed > most and 4 or 1, digest }
