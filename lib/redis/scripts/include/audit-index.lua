-- Adds the entry with this number and stream id to a subject's index, and drops entries that retention deleted
-- (numbers up to `base`). An index without new entries expires after its last entry was deleted.
local function toIndex(key, seq, id, base, days)
  redis.call('ZADD', key, seq, id)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', base)
  redis.call('EXPIRE', key, (days + 1) * 86400)
end
