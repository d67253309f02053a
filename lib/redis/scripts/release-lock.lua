--[[
  Deletes a lock that still is what was read: the same type and content and, where its value names no owner, the same
  expiry.

  KEYS[1]  the lock
  ARGV[1]  the type that it must have
  ARGV[2]  'length:digest' of the content that it must have
  ARGV[3]  PEXPIRETIME, or PTTL before Redis 7, where the expiry must be the same; '' where any is
  ARGV[4]  what it must answer
  ARGV[5]  by how many ms it may differ and be the same

  Output   { hits, misses, state }: 1 deleted; 0 changed since, or gone
]]
-- @include "lookups"
-- @include "key-digest"
local key, kind, content, clock = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local function isOther()
  local present, length, digest = stateOf(key)
  if present ~= kind or length .. ':' .. digest ~= content then return true end
  if clock == '' then return false end
  local expires, must = redis.call(clock, key), tonumber(ARGV[4])
  hits = hits + 1
  if expires < 0 or must < 0 then return expires ~= must end
  return math.abs(expires - must) > tonumber(ARGV[5])
end

if isOther() then return { hits, misses(), 0 } end
redis.call('UNLINK', key)
return { hits, misses(), 1 }
