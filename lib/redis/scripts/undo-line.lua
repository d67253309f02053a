--[[
  Makes the keys of one line what they were before it, all or none: only if each still is what the line left.

  KEYS     the keys, so that a cluster runs it where they are
  ARGV     per key: the key; its check after the line ('' missing); its expiry after it (epoch ms, -1 never, -2 missing);
           its expiry before; its DUMP before ('' missing).

  A key that expired after the line counts as unchanged: its expiry was part of what the line left.

  Output   { hits, misses, states, refusal }: for each key r restored, b changed since, e would have expired, k left alone because of another key, x refused by the server; and the server's error for that one
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
  local state, present = 'k', checkOf(key)
  local hasExpired = present == '' and tonumber(after) > 0 and tonumber(after) <= now
  if present ~= check and not hasExpired then
    state = 'b'
  elseif present ~= '' and isOtherExpiry(expiryOf(key), after) then
    state = 'b'
  elseif dump ~= '' and before ~= -1 and before <= now then
    state = 'e'
  end
  if state ~= 'k' then isFree = false end
  states[#states + 1] = state
end
local refusal = ''
-- Without memory the server refuses the first RESTORE and none after it: nothing was changed then, and nothing is deleted.
for i = 1, isFree and #ARGV or 0, 5 do
  local key, dump, at = ARGV[i], ARGV[i + 4], (i + 4) / 5
  if dump ~= '' and refusal == '' then
    local ttl = ARGV[i + 3] == '-1' and '0' or ARGV[i + 3]
    local reply = redis.pcall('RESTORE', key, ttl, dump, 'REPLACE', 'ABSTTL')
    if type(reply) == 'table' and reply.err then states[at], refusal = 'x', reply.err else states[at] = 'r' end
  end
end
for i = 1, isFree and refusal == '' and #ARGV or 0, 5 do
  if ARGV[i + 4] == '' then
    redis.call('UNLINK', ARGV[i])
    states[(i + 4) / 5] = 'r'
  end
end
return { hits, misses(), table.concat(states), refusal }
