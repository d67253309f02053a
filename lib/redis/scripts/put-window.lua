--[[
  Restores a window that was taken, unless the collector wrote the field since.

  KEYS[1]  rate_limits, a hash
  ARGV[1]  the field
  ARGV[2]  the value that replaced it ('': none)
  ARGV[3]  the value to restore

  Output   { hits, misses, 1 }            restored
           { hits, misses, 0, value }     the field holds another value now (false: none)
           { hits, misses, -1 }           the key is not a hash
]]
-- @include "lookups"
local kind = typeOf(KEYS[1])
if kind ~= 'none' and kind ~= 'hash' then return { hits, misses(), -1 } end

if kind == 'none' then miss(KEYS[1], 1) else hits = hits + 1 end
local present = redis.call('HGET', KEYS[1], ARGV[1])
local expected = ARGV[2]
if expected == '' then expected = false end
if present ~= expected then return { hits, misses(), 0, present } end

redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return { hits, misses(), 1 }
