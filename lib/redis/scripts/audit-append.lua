--[[
  Appends entries to the hash chain if nobody appended since: compare and append.

  KEYS[1]    the audit stream
  KEYS[2]    the head, a hash { digest, seq, id, mac }
  KEYS[3..]  per entry, the pointer hash of the change it belongs to
  ARGV[1]    the head digest the entries were chained to ('' for none)
  ARGV[2..5] the new head: digest, seq, id, mac
  ARGV[6..]  per entry: pointer field, entry JSON, its digest, the digest before

  Output     { 0, 0, 1, head digest, head seq }  appended
             { 0, 0, 0, head digest, head seq }  somebody else was first
]]
local head = redis.call('HMGET', KEYS[2], 'digest', 'seq')
if (head[1] or '') ~= ARGV[1] then return { 0, 0, 0, head[1] or '', head[2] or '0' } end

for i = 3, #KEYS do
  local at = 6 + (i - 3) * 4
  local id = redis.call('XADD', KEYS[1], '*', 'entry', ARGV[at + 1], 'digest', ARGV[at + 2], 'prev', ARGV[at + 3])
  redis.call('HSET', KEYS[i], ARGV[at], id)
end
redis.call('HSET', KEYS[2], 'digest', ARGV[2], 'seq', ARGV[3], 'id', ARGV[4], 'mac', ARGV[5])
return { 0, 0, 1, ARGV[2], ARGV[3] }
