--[[
  Gives keys without TTL one, and shortens longer ones. The times come from the caller: a script's own random numbers are
  the same in each run.

  ARGV[1]  '1': only looks what would change
  ARGV…    key, milliseconds to live and so on. Not as KEYS: they are of several slots of one node.

  Output   { hits, misses, states, packed }: for each key a got one, s shortened, k expires sooner already, v gone; packed
           is, for each key, >d when it expired before (epoch ms, -1 never) and >d when it does now
]]
-- @include "clock"
-- @include "lookups"
-- @include "expiry"
local states, packed = {}, {}
for i = 2, #ARGV, 2 do
  local expires = expiryOf(ARGV[i])
  local wanted = tonumber(ARGV[i + 1])
  local state = 'k'
  if expires == -2 then
    state = 'v'
  elseif expires == -1 then
    state = 'a'
  elseif expires > now + wanted then
    state = 's'
  end
  if ARGV[1] ~= '1' and (state == 'a' or state == 's') then
    redis.call('PEXPIREAT', ARGV[i], string.format('%.0f', now + wanted))
  end
  states[#states + 1] = state
  packed[#packed + 1] = struct.pack('>dd', expires < 0 and -1 or expires, now + wanted)
end
return { hits, misses(), table.concat(states), table.concat(packed) }
