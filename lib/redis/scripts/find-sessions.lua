--[[
  One chunk of a scan, leaving out the sessions that surely do not fit a filter. What it gives may still not fit.

  ARGV[1..3]  cursor, pattern, count of the SCAN
  ARGV[4]     name: '' for any, 'lower' to look for ARGV[5] in the lower-cased name, 'pattern' for a Lua pattern
  ARGV[6]     greatest length of a name
  ARGV[7]     '1': only with a device_info, which is given beside the key
  ARGV[8]     what a device_info must hold, lower-cased; '' for anything
  ARGV[9]     greatest length of a device_info
  ARGV[10]    last activity at this unix second or before; '' for any
  ARGV[11]    '' or a state: ghost, noTtl, live, unindexed
  ARGV[12]    how an index's key begins
  ARGV[13]    where the user's id begins in a session's key (1-based)
  ARGV[14]    text of devices, lower-cased; '' unless the agents that follow are to be left out
  ARGV[15..]  user agents known not to fit: such a session is left out if ARGV[14] is nowhere in its device_info

  Output      { hits, misses, next cursor, sessions looked at, then key and device_info ('' unless asked for), … }
]]
local hits, misses = 0, 0
local byName, name, longestName = ARGV[4], ARGV[5], tonumber(ARGV[6])
local byDevice, device, longestDevice = ARGV[7] == '1', ARGV[8], tonumber(ARGV[9])
local idleSince, state, index, first = tonumber(ARGV[10]), ARGV[11], ARGV[12], tonumber(ARGV[13])

local text, known = ARGV[14], {}
for i = 15, #ARGV do known[ARGV[i]] = true end

-- A short field, or nil: absent, too long, or no hash. A key that is gone counts as misses.
local function field(key, which, longest)
  local length = redis.pcall('HSTRLEN', key, which)
  if type(length) ~= 'number' then
    hits = hits + 1
    return nil
  end
  if length == 0 then
    if redis.call('EXISTS', key) == 1 then hits = hits + 2 else misses = misses + 2 end
    return nil
  end
  hits = hits + 1
  if length > longest then return nil end
  hits = hits + 1
  return redis.call('HGET', key, which)
end

local function nameFits(key)
  local value = field(key, 'username', longestName)
  if not value then return false end
  if byName == 'lower' then return string.find(string.lower(value), name, 1, true) ~= nil end
  return string.find(value, name) ~= nil
end

local function isKnown(value)
  if not known[string.match(value, '"user_agent"%s*:%s*"([^"\\]+)"')] then return false end
  return not string.find(string.lower(value), text, 1, true)
end

-- Text that JSON may hold in another spelling is left to the caller.
local function deviceOf(key)
  local value = field(key, 'device_info', longestDevice)
  if value and text ~= '' and not string.find(value, '\\', 1, true) and isKnown(value) then return nil end
  if not value or device == '' then return value end
  if string.find(string.lower(value), device, 1, true) then return value end
  return string.find(value, '\\u00', 1, true) and value or nil
end

local function idle(key)
  local at = field(key, 'last_activity', 64)
  if not at or not string.match(at, '^%d+%.?%d*$') then return true end
  return tonumber(at) <= idleSince
end

local function isGhost(key)
  local size = redis.pcall('HLEN', key)
  if size == 0 then
    misses = misses + 1
    return false
  end
  hits = hits + 1
  return size == 1
end

local function neverExpires(key)
  local pttl = redis.call('PTTL', key)
  if pttl == -2 then misses = misses + 1 else hits = hits + 1 end
  return pttl == -1
end

local function isIndexed(key)
  local colon = string.find(key, ':', first, true)
  if not colon then return false end
  local set = index .. string.sub(key, first, colon - 1)
  local found = redis.pcall('SISMEMBER', set, string.sub(key, colon + 1))
  if found == 0 then
    if redis.call('EXISTS', set) == 1 then hits = hits + 2 else misses = misses + 2 end
    return false
  end
  hits = hits + 1
  return found == 1
end

local function stateFits(key)
  if state == 'ghost' then return isGhost(key) end
  if state == 'noTtl' then return neverExpires(key) end
  if state == 'live' then return isIndexed(key) end
  return not isIndexed(key)
end

local page = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
local reply = { 0, 0, page[1], #page[2] }
for _, key in ipairs(page[2]) do
  local fits = byName == '' or nameFits(key)
  local info = ''
  if fits and byDevice then
    info = deviceOf(key)
    fits = info
  end
  if fits and idleSince then fits = idle(key) end
  if fits and state ~= '' then fits = stateFits(key) end
  if fits then
    reply[#reply + 1] = key
    reply[#reply + 1] = info
  end
end
reply[1] = hits
reply[2] = misses
return reply
