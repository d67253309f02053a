--[[
  Sets or removes the expiry of a key that still is what was read.

  KEYS[1]  the key
  ARGV[1]  the type that it must have
  ARGV[2]  'length:digest' of the content that it must have, from key-look; '' if only the expiry is compared
  ARGV[3]  the expiry that it must have, epoch ms, -1 for none; '' for any
  ARGV[4]  the new expiry, epoch ms, or milliseconds from now with ARGV[5]; -1 for none
  ARGV[5]  'in' for milliseconds from now, 'at' for epoch ms

  Output   { hits, misses, state, before, after }: 1 done, with its expiry before and as read again (-2: it expired);
           0 changed since; 3 its type changed, followed by it; 4 the expiry has passed
]]
-- @include "lookups"
-- @include "expiry"
-- @include "key-digest"
-- @include "clock"
-- Before Redis 7 an expiry is computed from the TTL, which takes a moment.
local TOLERANCE = 20
local key, at = KEYS[1], tonumber(ARGV[4])
local kind, length, digest
if ARGV[2] == '' then kind = typeOf(key) else kind, length, digest = stateOf(key) end
if kind ~= ARGV[1] then return { hits, misses(), 3, kind } end
if ARGV[2] ~= '' and length .. ':' .. digest ~= ARGV[2] then return { hits, misses(), 0 } end
local before = expiryOf(key)
local expected = tonumber(ARGV[3])
if expected then
  local same = before == expected
  if before > 0 and expected > 0 then same = math.abs(before - expected) <= TOLERANCE end
  if not same then return { hits, misses(), 0 } end
end
if at ~= -1 and ARGV[5] == 'in' then at = now + at end
if at ~= -1 and at <= now then return { hits, misses(), 4 } end
if at == -1 then
  redis.call('PERSIST', key)
else
  redis.call('PEXPIREAT', key, ARGV[5] == 'in' and string.format('%.0f', at) or ARGV[4])
end
local after = expiryOf(key)
return { hits, misses(), 1, before, after }
