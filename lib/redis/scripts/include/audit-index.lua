-- The value of `indexed`: the last entry that the indexes cover, their retention, and their version as in
-- `lib/audit/subject-index.ts`. Another version is behind.
local function indexedUpTo(seq, days) return seq .. ':' .. days .. ':2' end
local INDEXING = 'indexing:2'

-- Adds the entry with this number and stream id to a subject's index, and drops entries that retention deleted
-- (numbers up to `base`). An index without new entries expires after its last entry was deleted.
local function toIndex(key, seq, id, base, days)
  redis.call('ZADD', key, seq, id)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', base)
  redis.call('EXPIRE', key, (days + 1) * 86400)
end
