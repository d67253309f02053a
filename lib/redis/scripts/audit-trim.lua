--[[
  Deletes the oldest entries and records where the rest begins, so that verification can tell retention from
  tampering. Does nothing when the last entry to delete no longer exists: another process was first, and its
  record of the beginning is newer.

  KEYS[1]    the audit stream
  KEYS[2]    the base, a hash { digest, seq, mac } of the last entry deleted
  KEYS[3..]  pointer hashes of changes whose intent is deleted
  ARGV[1]    the stream id of the last entry to delete
  ARGV[2..4] the base: its digest, seq, mac

  Output     { 0, 0, entries deleted }
]]
local last = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])
if #last == 0 then return { 0, 0, 0 } end

local ms, seq = string.match(ARGV[1], '^(%d+)-(%d+)$')
redis.call('HSET', KEYS[2], 'digest', ARGV[2], 'seq', ARGV[3], 'mac', ARGV[4])
for i = 3, #KEYS do redis.call('UNLINK', KEYS[i]) end
return { 0, 0, redis.call('XTRIM', KEYS[1], 'MINID', ms .. '-' .. string.format('%.0f', tonumber(seq) + 1)) }
