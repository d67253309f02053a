--[[
  One call of a scan. Leaves out sessions that certainly do not match a filter; those it returns may still not match.

  ARGV[1]     cursor
  ARGV[2]     count
  ARGV[3]     pattern
  ARGV[4]     name: '' for any, 'lower' to look for ARGV[5] in the lower-cased name, 'pattern' for a Lua pattern
  ARGV[6]     maximum length of a name
  ARGV[7]     '1': only with a device, which is returned with the key
  ARGV[8]     text that the device must contain, lower-cased; '' for any
  ARGV[9]     maximum length of a device
  ARGV[10]    last activity at this time or before, in the unit of its field; '' for any
  ARGV[11]    '' or a state: ghost, noTtl, live, unindexed
  ARGV[12]    prefix of an index's key
  ARGV[13]    where the user's id begins in a session's key (1-based)
  ARGV[14]    what separates the user's id from the token
  ARGV[15]    fields of the name, the device and the last activity: ARGV[15], ARGV[16], ARGV[17]
  ARGV[18]    text of devices, lower-cased; '' unless the agents that follow are to be excluded
  ARGV[19..]  user agents known not to match or to contain that text: their sessions are excluded if the text
              is nowhere else in the device

  Output      { hits, misses, SCANs, next cursor, sessions examined, then key and device ('' unless requested), … }
]]
local call, pcall = redis.call, redis.pcall
local find, lower, sub = string.find, string.lower, string.sub
-- @include "lookups"
-- @include "unless-wrong-type"
local byName, name, longestName = ARGV[4], ARGV[5], tonumber(ARGV[6])
local byDevice, device, longestDevice = ARGV[7] == '1', ARGV[8], tonumber(ARGV[9])
local idleSince, state, index, first = tonumber(ARGV[10]), ARGV[11], ARGV[12], tonumber(ARGV[13])

local separator = ARGV[14]
local nameField, deviceField, activityField = ARGV[15], ARGV[16], ARGV[17]

local text, known = ARGV[18], {}
for i = 19, #ARGV do known[ARGV[i]] = true end

-- Whether the server says that a key it listed is elsewhere, as Redis 8 does of keys in slots that are being moved: the
-- caller reads it by itself.
local isAway = false

-- A short field, or nil: absent, too long, or not a hash. A missing key counts as misses.
local function field(key, which, longest)
  local length = pcall('HSTRLEN', key, which)
  if type(length) ~= 'number' then
    if onlyWrongType(length) then hits = hits + 1 else isAway = true end
    return nil
  end
  if length == 0 then
    countEmpty(key)
    return nil
  end
  hits = hits + 1
  if length > longest then return nil end
  hits = hits + 1
  return call('HGET', key, which)
end

local function nameFits(key)
  local value = field(key, nameField, longestName)
  if not value then return false end
  if byName == 'lower' then return find(lower(value), name, 1, true) ~= nil end
  return find(value, name) ~= nil
end

-- The text before the user agent, nearly always the same: '{"user_agent": "'. It does not contain the needle.
local head = ''

-- The index of the user agent's first character, or nil. Plain finds only: a pattern would cost more than everything else.
local function agentStart(value)
  if head ~= '' and sub(value, 1, #head) == head then return #head + 1 end
  local _, at = find(value, '"user_agent"', 1, true)
  local _, from = find(value, '^%s*:%s*"', (at or #value) + 1)
  if not from then return nil end
  head = sub(value, 1, from)
  if not find(head, '\\', 1, true) and not find(lower(head), text, 1, true) then return from + 1 end
  head = ''
  return nil
end

local function isUnfit(value)
  local from = agentStart(value)
  local to = from and find(value, '"', from, true)
  if not to or not known[sub(value, from, to - 1)] then return false end
  local tail = sub(value, to)
  return not find(tail, '\\', 1, true) and not find(lower(tail), text, 1, true)
end

-- Digits and dots need no lower-casing, which costs as much as reading the value.
local isCaseless = string.upper(device) == device

-- Escapes of JSON (\u00NN) and Python (also \xNN, \U…, \N{…}, octal) may spell the same text: the caller decides.
local function mayBeEscaped(value)
  return find(value, '\\', 1, true) and (find(value, '\\u00', 1, true) or find(value, '\\[xUN0-7\n]'))
end

local function deviceOf(key)
  local value = field(key, deviceField, longestDevice)
  if not value or (text ~= '' and isUnfit(value)) then return nil end
  if device == '' or find(isCaseless and value or lower(value), device, 1, true) then return value end
  return mayBeEscaped(value) and value or nil
end

local function idle(key)
  local at = field(key, activityField, 64)
  if not at or not find(at, '^%d+%.?%d*$') then return true end
  return tonumber(at) <= idleSince
end

local function isGhost(key)
  local size = pcall('HLEN', key)
  if type(size) ~= 'number' then
    if onlyWrongType(size) then hits = hits + 1 else isAway = true end
    return false
  end
  if size == 0 then
    miss(key, 1)
    return false
  end
  hits = hits + 1
  return size == 1
end

local function isIndexed(key)
  local at = find(key, separator, first, true)
  if not at then return false end
  local set = index .. sub(key, first, at - 1)
  local found = unlessWrongType('SISMEMBER', set, sub(key, at + #separator))
  if found == 0 then
    countEmpty(set)
    return false
  end
  hits = hits + 1
  return found == 1
end

local function stateFits(key)
  if state == 'ghost' then return isGhost(key) end
  if state == 'noTtl' then
    local pttl = pttlOf(key)
    isAway = isAway or not pttl
    return pttl == -1
  end
  if state == 'live' then return isIndexed(key) end
  return not isIndexed(key)
end

local function fitsFilter(key)
  if byName ~= '' and not nameFits(key) then return nil end
  local info = ''
  if byDevice then info = deviceOf(key) end
  if not info or (idleSince and not idle(key)) then return nil end
  if state ~= '' and not stateFits(key) then return nil end
  return info
end

-- All keys of one SCAN are loaded before they are examined: chunks of 100 are a tenth faster than chunks of 1000.
local MAX_COUNT = 100
local at, left = ARGV[1], tonumber(ARGV[2])
local scans, examined = 0, 0
local reply = { 0, 0, 0, at, 0 }
repeat
  local page = call('SCAN', at, 'MATCH', ARGV[3], 'COUNT', math.min(left, MAX_COUNT))
  local keys = page[2]
  at, left = page[1], left - MAX_COUNT
  scans, examined = scans + 1, examined + #keys
  for i = 1, #keys do
    isAway = false
    local info = fitsFilter(keys[i])
    if info or isAway then
      reply[#reply + 1] = keys[i]
      reply[#reply + 1] = info or ''
    end
  end
until at == '0' or left <= 0
reply[1], reply[2], reply[3], reply[4], reply[5] = hits, misses(), scans, at, examined
return reply
