--[[
  Appends entries to the hash chain if no one appended since (compare and append), and adds them to the indexes of their
  subjects.

  KEYS[1]    the audit stream
  KEYS[2]    the head, a hash { digest, seq, id, mac, indexed }
  KEYS[3]    the base, a hash { digest, seq, mac } of the last entry trimmed
  KEYS[4..]  per entry, the pointer hash of the change it belongs to; then indexes of subjects
  ARGV[1]    the head digest the entries were chained to ('' for none)
  ARGV[2..5] the new head: digest, seq, id, mac
  ARGV[6]    number of entries
  ARGV[7]    retention of entries, days
  ARGV[8..]  per entry: pointer field, entry JSON, its digest, the previous digest; then per index: the number of
             the record it points to, and its stream id, or the position of the entry in this call

  Output     { 0, 0, 1, head digest, head seq }  appended
             { 0, 0, 0, head digest, head seq }  another writer was first
]]
-- @include "audit-index"
local head = redis.call('HMGET', KEYS[2], 'digest', 'seq', 'indexed')
if (head[1] or '') ~= ARGV[1] then return { 0, 0, 0, head[1] or '', head[2] or '0' } end

local entries, days = tonumber(ARGV[6]), ARGV[7]
-- A version with other indexes, or none, leaves `indexed` as it is: from then on it is behind.
local whole = head[3] == indexedUpTo(head[2] or '', days) or redis.call('XLEN', KEYS[1]) == 0
local ids = {}
for i = 1, entries do
  local at = 4 + i * 4
  ids[i] = redis.call('XADD', KEYS[1], '*', 'entry', ARGV[at + 1], 'digest', ARGV[at + 2], 'prev', ARGV[at + 3])
  redis.call('HSET', KEYS[3 + i], ARGV[at], ids[i])
end
local base = redis.call('HGET', KEYS[3], 'seq') or '0'
for i = entries + 4, #KEYS do
  local at = 8 + entries * 4 + (i - entries - 4) * 2
  toIndex(KEYS[i], ARGV[at], ids[tonumber(ARGV[at + 1])] or ARGV[at + 1], base, days)
end
redis.call('HSET', KEYS[2], 'digest', ARGV[2], 'seq', ARGV[3], 'id', ARGV[4], 'mac', ARGV[5])
if whole then redis.call('HSET', KEYS[2], 'indexed', indexedUpTo(ARGV[3], days)) end
return { 0, 0, 1, ARGV[2], ARGV[3] }
