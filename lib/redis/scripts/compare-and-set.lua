--[[
  Sets or deletes a string if it still holds the value that was read. The TTL is kept.

  KEYS[1]  the string's key
  ARGV[1]  two flags: '1' or '0' for "expected to exist", then for "exists afterwards"
  ARGV[2]  the value expected (ignored when expected to be absent)
  ARGV[3]  the value to set (ignored when it is to be deleted)

  Output   { hits, misses, 1 }            changed
           { hits, misses, 0, value }     it holds another value (false: it does not exist)
           { hits, misses, -1 }           it is not a string
]]
-- @include "lookups"
local kind = typeOf(KEYS[1])
local expectedThere = string.sub(ARGV[1], 1, 1) == '1'
local thereAfterwards = string.sub(ARGV[1], 2, 2) == '1'

if kind == 'none' then
  if expectedThere then return { hits, misses(), 0, false } end
  if thereAfterwards then redis.call('SET', KEYS[1], ARGV[3]) end
  return { hits, misses(), 1 }
end
if kind ~= 'string' then return { hits, misses(), -1 } end

hits = hits + 1
local present = redis.call('GET', KEYS[1])
if not expectedThere or present ~= ARGV[2] then return { hits, misses(), 0, present } end
if thereAfterwards then
  redis.call('SET', KEYS[1], ARGV[3], 'KEEPTTL')
else
  redis.call('DEL', KEYS[1])
end
return { hits, misses(), 1 }
