--[[
  Gives keys their former names back, with their TTL, unless they changed since. Never overwrites a key.

  KEYS     in a cluster both names of the one key
  ARGV     per key: its name now, its former name, the type and 'length:digest' (key-digest) that it must have.

  Output   { hits, misses, states }: for each key r renamed, b changed since or its former name is taken, e missing
]]
-- @include "lookups"
-- @include "key-digest"
local states = {}
for i = 1, #ARGV, 4 do
  local kind, length, digest = stateOf(ARGV[i])
  local state = 'b'
  if kind == 'none' then
    -- The job stores what undo needs first, so it may have ended before it renamed the key.
    if typeOf(ARGV[i + 1]) == 'none' then state = 'e' end
  elseif kind == ARGV[i + 2] and length .. ':' .. digest == ARGV[i + 3] then
    if redis.call('RENAMENX', ARGV[i], ARGV[i + 1]) == 1 then state = 'r' end
  end
  states[#states + 1] = state
end
return { hits, misses(), table.concat(states) }
