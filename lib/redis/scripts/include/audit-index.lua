-- Notes in a subject's index that the entry of this number and stream id is about it, and drops what retention forgot
-- (numbers up to `base`). An index that gets nothing more expires after its last entry was forgotten.
local function toIndex(key, seq, id, base, days)
  redis.call('ZADD', key, seq, id)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', base)
  redis.call('EXPIRE', key, (days + 1) * 86400)
end
