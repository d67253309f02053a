--[[
  Deletes keys that did not change since their snapshot.

  ARGV     per key: the key, the last eight bytes of its DUMP (its CRC-64; '' without a snapshot), the expiry that it must
           have (epoch ms, -1 never; '' any: a DUMP does not contain it). Not as KEYS: they may be in several slots of one
           node.

  Output   { hits, misses, states }: for each key d deleted, v already missing, c changed and not deleted, m elsewhere
]]
-- @include "lookups"
-- @include "expiry"
-- @include "same-expiry"
local states = {}
for i = 1, #ARGV, 3 do
  local key, check, expiry = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local state = 'd'
  if check ~= '' then
    local dump = redis.pcall('DUMP', key)
    if not dump then
      miss(key, 1)
      state = 'v'
    elseif isElsewhere(dump) then
      state = ELSEWHERE
    else
      hits = hits + 1
      if string.sub(dump, -8) ~= check then state = 'c' end
    end
  end
  if state == 'd' and expiry ~= '' and isOtherExpiry(expiryOf(key), expiry) then state = 'c' end
  if state == 'd' then
    local deleted = redis.pcall('UNLINK', key)
    if deleted == 0 then
      state = 'v'
    elseif isElsewhere(deleted) then
      state = ELSEWHERE
    end
  end
  states[#states + 1] = state
end
return { hits, misses(), table.concat(states) }
