--[[
  Deletes keys that are still as they were when they were kept.

  ARGV     key, the last eight bytes of its DUMP (their CRC-64; '' where it was not kept) and so on. Not as KEYS: they are
           of several slots of one node.

  Output   { hits, misses, states }: for each key d deleted, v gone already, c changed and left alone
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
