--[[
  Deletes keys that did not change since their snapshot.

  ARGV     per key: the key, the last eight bytes of its DUMP (its CRC-64; '' without a snapshot). Not as KEYS: they may
           be in several slots of one node.

  Output   { hits, misses, states }: for each key d deleted, v already missing, c changed and not deleted
]]
-- @include "lookups"
local states = {}
for i = 1, #ARGV, 2 do
  local key, check = ARGV[i], ARGV[i + 1]
  local state = 'd'
  if check ~= '' then
    local dump = redis.call('DUMP', key)
    if not dump then
      miss(key, 1)
      state = 'v'
    else
      hits = hits + 1
      if string.sub(dump, -8) ~= check then state = 'c' end
    end
  end
  if state == 'd' and redis.call('UNLINK', key) == 0 then state = 'v' end
  states[#states + 1] = state
end
return { hits, misses(), table.concat(states) }
