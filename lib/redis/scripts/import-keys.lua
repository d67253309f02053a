--[[
  Restores keys where nothing is, or in place of what was compared.

  KEYS     the keys, so that a cluster runs it where they are
  ARGV     per key: the key; its expiry (epoch ms, -1 never); its DUMP; what must be there: '' nothing, 'd' and the last
           eight bytes of its DUMP, or 's' and its 'length:digest'

  Output   { hits, misses, results, refusal }: for each key a state, and the type, length and digest that it has now: r
           restored, b something is there, c it changed, e expired, x refused; and the server's error for the last refused.
]]
-- @include "lookups"
-- @include "key-digest"
-- @include "clock"
local function isAsRead(key, expected)
  if string.sub(expected, 1, 1) == 's' then
    local kind, length, digest = stateOf(key)
    return kind ~= 'none' and 's' .. length .. ':' .. digest == expected
  end
  local dump = redis.call('DUMP', key)
  if dump then hits = hits + 1 else miss(key, 1) end
  return dump and 'd' .. string.sub(dump, -8) == expected
end
local results, refusal = {}, ''
for i = 1, #ARGV, 4 do
  local key, expires, expected = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 3]
  local state = 'r'
  if expires ~= -1 and expires <= now then
    state = 'e'
  elseif expected ~= '' and not isAsRead(key, expected) then
    state = 'c'
  else
    local call = { 'RESTORE', key, expires == -1 and '0' or ARGV[i + 1], ARGV[i + 2], 'ABSTTL' }
    if expected ~= '' then call[#call + 1] = 'REPLACE' end
    local reply = redis.pcall(unpack(call))
    if type(reply) == 'table' and reply.err then
      state = 'b'
      if not string.find(reply.err, 'BUSYKEY', 1, true) then state, refusal = 'x', reply.err end
    end
  end
  local kind, length, digest = '', -1, ''
  if state == 'r' then kind, length, digest = stateOf(key) end
  results[#results + 1] = { state, kind, length, digest }
end
return { hits, misses(), results, refusal }
