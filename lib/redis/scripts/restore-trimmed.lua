--[[
  Restores what keys were before they were trimmed, unless they changed since. Their TTL stays as it is.

  ARGV     per key: the key, its type, how many elements the trim left, their digest, its DUMP before. Not as KEYS: they
           may be in several slots of one node.

  Output   { hits, misses, states, refusal }: for each key r restored, b changed since, e missing, m elsewhere, x refused; and the
           server's error for the last one refused
]]
-- @include "lookups"
-- @include "expiry"
-- @include "kept-digest"
local states, refusal = {}, ''
for i = 1, #ARGV, 5 do
  local key, kind, most = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
  local now, state = typeOf(key), 'b'
  if not now then
    state = ELSEWHERE
  elseif now == 'none' then
    state = 'e'
  elseif now == kind and lengthOf(key, kind) == most and digestOf(key, kind, most) == ARGV[i + 3] then
    local at = expiryOf(key)
    local ttl = at == -1 and '0' or string.format('%.0f', at)
    local reply = redis.pcall('RESTORE', key, ttl, ARGV[i + 4], 'REPLACE', 'ABSTTL')
    state = 'r'
    if type(reply) == 'table' and reply.err then state, refusal = 'x', reply.err end
  end
  states[#states + 1] = state
end
return { hits, misses(), table.concat(states), refusal }
