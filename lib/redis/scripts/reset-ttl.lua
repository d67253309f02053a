--[[
  Restores the previous expiry of keys, unless another one was set since.

  ARGV     per key: the key, its previous expiry (epoch ms, -1 never), the expiry it has if unchanged. Not as
           KEYS: they may be in several slots of one node.

  Output   { hits, misses, states }: for each key r restored, b changed since, e missing, m elsewhere
]]
local NEAR = 50
-- @include "clock"
-- @include "lookups"
local states = {}
for i = 1, #ARGV, 3 do
  local ttl = pttlOf(ARGV[i])
  local state = 'b'
  if not ttl then
    state = ELSEWHERE
  elseif ttl == -2 then
    state = 'e'
  elseif ttl >= 0 and math.abs(now + ttl - tonumber(ARGV[i + 2])) <= NEAR then
    state = 'r'
    if ARGV[i + 1] == '-1' then
      redis.call('PERSIST', ARGV[i])
    else
      redis.call('PEXPIREAT', ARGV[i], ARGV[i + 1])
    end
  end
  states[#states + 1] = state
end
return { hits, misses(), table.concat(states) }
