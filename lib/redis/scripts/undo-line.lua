--[[
  Makes the keys of one line what they were before it, all or none: only if each still is what the line left.

  ARGV     per key: the key; its check after the line ('' missing); its expiry after it (epoch ms, -1 never, -2 missing);
           its expiry before; its DUMP before ('' missing). Not as KEYS: they may be in several slots of one node.

  Output   { hits, misses, states, refusal }: for each key r restored, b changed since, e would have expired, k left alone
           because of another key, x refused by the server; and the server's error for the last one refused
]]
-- @include "lookups"
-- @include "clock"
-- @include "expiry"
-- @include "same-expiry"
-- @include "key-digest"
-- @include "line-check"
local states, isFree = {}, true
for i = 1, #ARGV, 5 do
  local key, check, after, before, dump = ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3]), ARGV[i + 4]
  local state = 'k'
  if checkOf(key) ~= check then
    state = 'b'
  elseif check ~= '' and isOtherExpiry(expiryOf(key), after) then
    state = 'b'
  elseif dump ~= '' and before ~= -1 and before <= now then
    state = 'e'
  end
  if state ~= 'k' then isFree = false end
  states[#states + 1] = state
end
local refusal = ''
if isFree then
  for i = 1, #ARGV, 5 do
    local key, dump, at = ARGV[i], ARGV[i + 4], (i + 4) / 5
    states[at] = 'r'
    if dump == '' then
      redis.call('UNLINK', key)
    else
      local ttl = ARGV[i + 3] == '-1' and '0' or ARGV[i + 3]
      local reply = redis.pcall('RESTORE', key, ttl, dump, 'REPLACE', 'ABSTTL')
      if type(reply) == 'table' and reply.err then states[at], refusal = 'x', reply.err end
    end
  end
end
return { hits, misses(), table.concat(states), refusal }
