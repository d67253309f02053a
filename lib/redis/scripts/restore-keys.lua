--[[
  Restores keys that were not recreated, with their remaining TTL. RESTORE with a time in the past would
  answer OK and create nothing.

  ARGV     per key: the key, its expiry (epoch ms, -1 never), its DUMP. Not as KEYS: they may be in several slots of
           one node.

  Output   { 0, 0, states, refusal }: for each key r restored, b recreated since, e expired, m elsewhere, x refused; and the
           server's error for the last one refused. RESTORE counts as neither hit nor miss.
]]
-- @include "clock"
-- @include "elsewhere"
local states, refusal = {}, ''
for i = 1, #ARGV, 3 do
  local expires = tonumber(ARGV[i + 1])
  local state = 'r'
  if expires ~= -1 and expires <= now then
    state = 'e'
  else
    local ttl = expires == -1 and '0' or ARGV[i + 1]
    local reply = redis.pcall('RESTORE', ARGV[i], ttl, ARGV[i + 2], 'ABSTTL')
    if type(reply) == 'table' and reply.err then
      state = 'b'
      if not string.find(reply.err, 'BUSYKEY', 1, true) then
        local isKnown, isAway = pcall(isElsewhere, reply)
        if isKnown and isAway then state = ELSEWHERE else state, refusal = 'x', reply.err end
      end
    end
  end
  states[#states + 1] = state
end
return { 0, 0, table.concat(states), refusal }
