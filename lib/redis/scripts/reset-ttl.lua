--[[
  Gives keys the expiry back that they had, where nobody set another one since.

  ARGV     key, when it is to expire (epoch ms, -1 never), when it expires if nobody touched it, and so on. Not as
           KEYS: they are of several slots of one node.

  Output   { hits, misses, states }: for each key r set back, b changed since, e gone
]]
local NEAR = 50
-- @include "clock"
-- @include "lookups"
local states = {}
for i = 1, #ARGV, 3 do
  local ttl = pttlOf(ARGV[i])
  local state = 'b'
  if ttl == -2 then
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
