--[[
  Changes an index whose sessions may be on another node of a cluster, after a session was changed or looked at.

  KEYS[1]  the index
  ARGV[1]  'remove' the entry, 'add' it, or 'keep' the index for as long as the session lives
  ARGV[2]  the session as the index names it
  ARGV[3]  type of the index: set or zset ('add': set only)
  ARGV[4]  milliseconds that the session has to live, -1 without TTL; unused by 'remove'

  Output   { hits, misses, changed (0 or 1) }, or -1 where the index has another type and nothing can be added
]]
-- @include "lookups"
-- @include "unless-wrong-type"
local index, action, member, left = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[4])
if action == 'remove' then
  return { hits, misses(), unlessWrongType(ARGV[3] == 'zset' and 'ZREM' or 'SREM', index, member) or 0 }
end
local its, done = pttlOf(index), 0
if action == 'add' then
  done = unlessWrongType('SADD', index, member) or -1
  if done < 1 then return { hits, misses(), done } end
end
if left == -1 then
  redis.call('PERSIST', index)
elseif (its == -2 and action == 'add') or (its >= 0 and its < left) then
  redis.call('PEXPIRE', index, left)
end
return { hits, misses(), done }
