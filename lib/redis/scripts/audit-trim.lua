--[[
  Forgets the oldest entries and records where the kept part begins, so that verification can tell
  retention from removal.

  KEYS[1]    the audit stream
  KEYS[2]    the base, a hash { digest, seq, mac } of the last entry forgotten
  ARGV[1]    the stream id from which entries are kept
  ARGV[2..4] the base: digest, seq, mac

  Output     { 0, 0, entries forgotten }
]]
redis.call('HSET', KEYS[2], 'digest', ARGV[2], 'seq', ARGV[3], 'mac', ARGV[4])
return { 0, 0, redis.call('XTRIM', KEYS[1], 'MINID', ARGV[1]) }
