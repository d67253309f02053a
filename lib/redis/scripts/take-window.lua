--[[
  Takes one window out of the error collector's rate limits, in one step: events counted meanwhile are either in the
  window taken or in the window it opens next.

  KEYS[1]  rate_limits, a hash
  ARGV[1]  the field
  ARGV[2]  the etag of the window that was read ('': any): sha1 of 'start:' and the window's start, or
           of 'value:' and the value where it cannot be parsed or is longer than any window
  ARGV[3]  'any', or 'unreadable': then a value the collector can parse is kept
  ARGV[4]  the value that replaces it ('': none)

  Output   { hits, misses, 'taken', value }
           { hits, misses, 'changed', value }    it is another window now
           { hits, misses, 'readable', value }
           { hits, misses, 'none' }              the field does not exist
           { hits, misses, 'wrong-type' }        the key is not a hash
]]
local MAX_LENGTH = 256

-- @include "lookups"
local kind = typeOf(KEYS[1])
if kind == 'none' then return { hits, misses(), 'none' } end
if kind ~= 'hash' then return { hits, misses(), 'wrong-type' } end

hits = hits + 1
local value = redis.call('HGET', KEYS[1], ARGV[1])
if not value then return { hits, misses(), 'none' } end

local start = nil
if #value <= MAX_LENGTH then start = string.match(value, '(%d+):%d+') end
if ARGV[2] ~= '' then
  local named = 'value:' .. value
  if start then named = 'start:' .. start end
  if redis.sha1hex(named) ~= ARGV[2] then return { hits, misses(), 'changed', value } end
end
if ARGV[3] == 'unreadable' and (start or string.find(value, '%d:%d')) then return { hits, misses(), 'readable', value } end

if ARGV[4] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[4])
end
return { hits, misses(), 'taken', value }
