--[[
  Adds a page of the log, written before there were indexes, to the indexes of its entries' subjects.

  KEYS[1]    the head of the chain, a hash { seq, indexed, indexing:<version> }
  KEYS[2]    the base, a hash { seq } of the last entry trimmed
  KEYS[3..]  indexes of subjects
  ARGV[1..2] number and stream id of the page's last row
  ARGV[3]    retention of entries, days
  ARGV[4..]  per index: number and stream id of the record it points to

  Output     { 0, 0, 1 }  the indexes cover the full log now
             { 0, 0, 0 }  there is more
]]
-- @include "audit-index"
local base = redis.call('HGET', KEYS[2], 'seq') or '0'
for i = 3, #KEYS do
  local at = 4 + (i - 3) * 2
  toIndex(KEYS[i], ARGV[at], ARGV[at + 1], base, ARGV[3])
end
if redis.call('HGET', KEYS[1], 'seq') == ARGV[1] then
  redis.call('HSET', KEYS[1], 'indexed', indexedUpTo(ARGV[1], ARGV[3]))
  redis.call('HDEL', KEYS[1], INDEXING)
  return { 0, 0, 1 }
end
redis.call('HSET', KEYS[1], INDEXING, ARGV[2])
return { 0, 0, 0 }
