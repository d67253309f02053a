--[[
  Runs one command that a user typed, only if the keys it names still equal their snapshots, in one step of the server.

  KEYS     the keys, so that a cluster runs it where they are
  ARGV[1]  how many keys
  ARGV[2]  copy to compare them with their copies, and to say what they are afterwards; state to compare their state; else none
  ARGV[3]  the most bytes of a reply
  per key  the key; how often the command looks it up for reading; the last eight bytes of its DUMP, or its type, length and
           digest ('' when missing); its expiry (epoch ms, -1 never; '' when missing)
  then     the command

  Output   { hits, misses, state, reply, checks, expiries, digits }: state 1 done, 3 done with a reply that is too long to be sent, 0 a
           key changed, 2 refused by the server with reply as its error; for each key its check and expiry after the command
           ('' and -2 when missing), or none where one cannot be compared, or our user may not read it; the digits of a reply
           that Lua rounds, where the key has them
]]
-- @include "lookups"
-- @include "expiry"
-- @include "same-expiry"
-- @include "key-digest"
-- @include "line-check"
-- @include "reply-bytes"
local count, mode = tonumber(ARGV[1]), ARGV[2]
local from = 4 + 4 * count
local function isSame(key, check, expiry)
  if mode == 'state' then
    local kind, length, digest = stateOf(key)
    return check == (kind == 'none' and '' or kind .. ':' .. length .. ':' .. digest)
  end
  local dump = redis.call('DUMP', key)
  if dump then hits = hits + 1 else miss(key, 1) end
  return check == (dump and string.sub(dump, -8) or '') and not (dump and isOtherExpiry(expiryOf(key), expiry))
end
for i = 4, mode == 'none' and 0 or from - 1, 4 do
  if not isSame(ARGV[i], ARGV[i + 2], ARGV[i + 3]) then return { hits, misses(), 0, '', {}, {} } end
end
-- What the command looks up it looks up before it changes anything.
local exists = {}
for i = 4, from - 1, 4 do
  if ARGV[i + 1] ~= '0' then
    exists[i] = redis.call('EXISTS', ARGV[i]) == 1
    if exists[i] then hits = hits + 1 else miss(ARGV[i], 1) end
  end
end
local command = {}
for i = from, #ARGV do command[#command + 1] = ARGV[i] end
local reply = redis.pcall(unpack(command))
local refused = type(reply) == 'table' and reply.err
-- Of refusals only a wrong type certainly comes after the look-up.
if not refused or string.sub(refused, 1, 9) == 'WRONGTYPE' then
  for i, isThere in pairs(exists) do
    local times = tonumber(ARGV[i + 1])
    if isThere then hits = hits + times else miss(ARGV[i], times) end
  end
end
if refused then return { hits, misses(), 2, reply.err, {}, {} } end
-- The line has been executed: nothing from here on may fail, or an applied change would be reported as failed.
local checks, expiries = {}, {}
local function checkAll()
  for i = 4, from - 1, 4 do
    checks[#checks + 1] = assert(checkOf(ARGV[i]))
    expiries[#expiries + 1] = string.format('%.0f', checks[#checks] == '' and -2 or expiryOf(ARGV[i]))
  end
end
if mode == 'copy' and not pcall(checkAll) then checks, expiries = {}, {} end
local digits = ''
if type(reply) == 'number' and math.abs(reply) >= 2 ^ 53 then
  local name = string.lower(command[1])
  local now = redis.pcall(name == 'hincrby' and 'HGET' or 'GET', unpack(command, 2, name == 'hincrby' and 3 or 2))
  if type(now) == 'string' then digits, hits = now, hits + 1 end
end
if isTooLong(reply, tonumber(ARGV[3])) then return { hits, misses(), 3, '', checks, expiries } end
return { hits, misses(), 1, reply, checks, expiries, digits }
