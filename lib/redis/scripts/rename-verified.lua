--[[
  Renames a key that still is what was read: copies it with its TTL, compares the copy, and only then removes the key. In
  one step, so that nobody writes in between. Never overwrites a key.

  KEYS[1]  the key
  KEYS[2]  the new name
  ARGV[1]  the type that the key must have
  ARGV[2]  'length:digest' of the content that it must have, from key-look

  Output   { hits, misses, state }: 1 done; 0 changed since; 2 the new name is taken; 3 missing; 4 the copy was another
           one and is removed
]]
-- @include "lookups"
-- @include "expiry"
-- @include "copy-key"
-- @include "same-expiry"
-- @include "key-digest"
local from, to = KEYS[1], KEYS[2]
local function isAsRead(key)
  local kind, length, digest = stateOf(key)
  return kind == ARGV[1] and length .. ':' .. digest == ARGV[2], kind
end
local same, kind = isAsRead(from)
if kind == 'none' then return { hits, misses(), 3 } end
if not same then return { hits, misses(), 0 } end
if not copyKey(from, to) then return { hits, misses(), 2 } end
if not isAsRead(to) or isOtherExpiry(expiryOf(to), string.format('%.0f', expiryOf(from))) then
  redis.call('UNLINK', to)
  return { hits, misses(), 4 }
end
redis.call('UNLINK', from)
return { hits, misses(), 1 }
