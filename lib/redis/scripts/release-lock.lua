--[[
  Deletes a lock that still is what was read: the same type and content and, where its value names no owner, the same
  expiry.

  KEYS[1]  the lock
  ARGV[1]  the type that it must have
  ARGV[2]  'length:digest' of the content that it must have
  ARGV[3]  the expiry that it must have, epoch ms; -1 never, '' any
  ARGV[4]  by how many ms an expiry may differ and be the same

  Output   { hits, misses, state }: 1 deleted; 0 changed since; -1 it does not exist
]]
-- @include "lookups"
-- @include "expiry"
-- @include "key-digest"
local key, kind, content, must, near = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

local function isOther()
  local present, length, digest = stateOf(key)
  if present ~= kind or length .. ':' .. digest ~= content then return true end
  if must == '' then return false end
  local expires = expiryOf(key)
  if expires == -1 or must == '-1' then return tostring(expires) ~= must end
  return math.abs(expires - tonumber(must)) > near
end

if typeOf(key) == 'none' then return { hits, misses(), -1 } end
if isOther() then return { hits, misses(), 0 } end
redis.call('UNLINK', key)
return { hits, misses(), 1 }
