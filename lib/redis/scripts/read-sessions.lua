--[[
  Reads the displayed fields of sessions, without loading a field that exceeds its maximum length.

  KEYS      two per session: its key, and its user's index (the key again where it names no user)
  ARGV[1]   number of fields; then name and maximum length of each;
            then for each session where its token begins in its key (1-based), 0 to check no index

  Output    { hits, misses, session… }, each { pttl, number of fields or -1 for another type, indexed (0 or 1),
            then for each field its value, 0 when absent, 1 when too long }, or {} when it does not exist.
]]
-- @include "lookups"
-- @include "unless-wrong-type"
local count = tonumber(ARGV[1])
local names, limits = {}, {}
for f = 1, count do
  names[f] = ARGV[2 * f]
  limits[f] = tonumber(ARGV[2 * f + 1])
end

local function member(index, token)
  local found = unlessWrongType('SISMEMBER', index, token)
  if found == 1 or not found then
    hits = hits + 1
    return found == 1 and 1 or 0
  end
  countEmpty(index)
  return 0
end

local function fields(key, out)
  local wanted, places = {}, {}
  for f = 1, count do
    local length = redis.call('HSTRLEN', key, names[f])
    hits = hits + 1
    if length == 0 then
      out[3 + f] = 0
    elseif length > limits[f] then
      out[3 + f] = 1
    else
      wanted[#wanted + 1] = names[f]
      places[#places + 1] = 3 + f
    end
  end
  if #wanted == 0 then return end
  local values = redis.call('HMGET', key, unpack(wanted))
  hits = hits + 1
  for i = 1, #wanted do out[places[i]] = values[i] end
end

local reply = {}
for i = 1, #KEYS, 2 do
  local key = KEYS[i]
  local pttl = pttlOf(key)
  if pttl == -2 then
    reply[#reply + 1] = {}
  else
    local start = tonumber(ARGV[2 * count + 1 + (i + 1) / 2])
    local size = unlessWrongType('HLEN', key)
    hits = hits + 1
    local out = { pttl, size or -1, 0 }
    if start > 0 then out[3] = member(KEYS[i + 1], string.sub(key, start)) end
    if out[2] > 0 then fields(key, out) end
    reply[#reply + 1] = out
  end
end
return { hits, misses(), unpack(reply) }
