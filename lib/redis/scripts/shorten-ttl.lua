--[[
  Sets a TTL on keys without one, and shortens longer ones. The caller passes the times: random numbers in a script are
  the same in each run.

  ARGV[1]  '1': dry run
  ARGV…    per key: the key, its TTL in ms, or '@' and the epoch ms at which it is to expire, the expiry it must have
           (epoch ms, -1 never; '' any). Not as KEYS: they may be in several slots of one node.

  Output   { hits, misses, states, packed }: for each key a TTL set, s shortened, k already shorter, v missing, m elsewhere, c another
           expiry, or the time has passed; packed is, for each key, >d its expiry before (epoch ms, -1 never) and >d its
           expiry now
]]
-- @include "clock"
-- @include "lookups"
-- @include "expiry"
-- @include "same-expiry"
local function timeOf(given)
  if string.sub(given, 1, 1) == '@' then return tonumber(string.sub(given, 2)) end
  return now + tonumber(given)
end
local states, packed = {}, {}
for i = 2, #ARGV, 3 do
  local expires = expiryOf(ARGV[i])
  local wanted = timeOf(ARGV[i + 1])
  local state = 'k'
  if not expires then
    state, expires = ELSEWHERE, -2
  elseif expires == -2 then
    state = 'v'
  elseif isOtherExpiry(expires, ARGV[i + 2]) or wanted <= now then
    state = 'c'
  elseif expires == -1 then
    state = 'a'
  elseif expires > wanted then
    state = 's'
  end
  if ARGV[1] ~= '1' and (state == 'a' or state == 's') then
    redis.call('PEXPIREAT', ARGV[i], string.format('%.0f', wanted))
  end
  states[#states + 1] = state
  packed[#packed + 1] = struct.pack('>dd', expires < 0 and -1 or expires, wanted)
end
return { hits, misses(), table.concat(states), table.concat(packed) }
