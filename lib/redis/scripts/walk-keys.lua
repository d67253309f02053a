--[[
  One call of a walk over all keys, with facts of each key. Ends after ARGV[3] of the server's time.

  ARGV[1]  cursor
  ARGV[2]  count: how many keys at most, roughly
  ARGV[3]  µs after which no further page is begun
  ARGV[4]  memory: '' none, 'estimate' from five elements, 'exact' from all
  ARGV[5]  letters of what else is wanted: 'e' encoding, 'i' idle time, 'l' length

  Output   { hits, misses, SCANs, next cursor, covered, µs, vanished, types, encodings, refused memory, refused idle, refused
           others, packed }. covered: the COUNT of all pages. Types and encodings: names, joined by commas, whose places (from
           1) are in the rows; 0 where unknown. Refused: the first error text, or ''. packed is for each key:
           <I4 length of the name, B type, d PTTL (-3 unknown), d bytes (-1 unknown) and, if ARGV[5] is not empty, B encoding,
           d length (-1 unknown), d idle seconds (-1 unknown); then the name.
]]
-- @include "lookups"
-- Small pages: the keys are still in the processor's cache when their facts are read.
local PAGE = 50
local LENGTHS = { string = 'STRLEN', hash = 'HLEN', list = 'LLEN', set = 'SCARD', zset = 'ZCARD', stream = 'XLEN' }
local pcall, pack = redis.pcall, struct.pack
-- Seconds. Some versions have no os.clock in scripts, in others TIME stands still during one.
local hasClock, clock = _G.pcall(function() return os.clock end)
if not hasClock then
  clock = function()
    local time = redis.call('TIME')
    return tonumber(time[1]) + tonumber(time[2]) / 1000000
  end
end
local began = clock()
local untilTime = began + tonumber(ARGV[3]) / 1000000
local at, left, covered, scans, vanished = ARGV[1], tonumber(ARGV[2]), 0, 0, 0
local memory, others = ARGV[4], ARGV[5]
local encodings, idles = string.find(others, 'e', 1, true), string.find(others, 'i', 1, true)
local lengths = string.find(others, 'l', 1, true)
local refused = { memory = '', idle = '', others = '' }
local packed, n = {}, 0

local function naming()
  local places, names = {}, {}
  return function(name)
    local place = places[name]
    if not place then
      place = #names < 255 and #names + 1 or 0
      if place > 0 then names[place], places[name] = name, place end
    end
    return place
  end, names
end
local typePlace, typeNames = naming()
local encodingPlace, encodingNames = naming()

local function refuse(what, reply)
  if refused[what] == '' then refused[what] = reply.err end
end

local function bytesOf(key)
  local bytes
  if memory == 'exact' then bytes = pcall('MEMORY', 'USAGE', key, 'SAMPLES', 0)
  else bytes = pcall('MEMORY', 'USAGE', key) end
  if type(bytes) == 'number' then return bytes end
  if type(bytes) == 'table' then refuse('memory', bytes) end
  return -1
end

-- The idle time first: reading a length resets it before Redis 7.2.
local function othersOf(key, kind)
  local encoding, length, idle = 0, -1, -1
  if idles then
    local seconds = pcall('OBJECT', 'IDLETIME', key)
    if type(seconds) == 'number' then
      idle, hits = seconds, hits + 1
    elseif type(seconds) == 'table' then
      -- A policy that counts frequency refuses after looking the key up.
      if not string.find(seconds.err, 'ermission', 1, true) and not string.find(seconds.err, "can't", 1, true) then
        hits = hits + 1
      end
      refuse('idle', seconds)
      idles = nil
    end
  end
  if encodings then
    local name = pcall('OBJECT', 'ENCODING', key)
    if type(name) == 'string' then
      encoding, hits = encodingPlace(name), hits + 1
    elseif type(name) == 'table' then refuse('others', name) end
  end
  if lengths and LENGTHS[kind] then
    local count = pcall(LENGTHS[kind], key)
    if type(count) == 'number' then
      length, hits = count, hits + 1
    elseif type(count) == 'table' then refuse('others', count) end
  end
  return encoding, length, idle
end

repeat
  local count = math.min(left, PAGE)
  local page = redis.call('SCAN', at, 'COUNT', count)
  scans, covered, left, at = scans + 1, covered + count, left - count, page[1]
  local keys = page[2]
  for i = 1, #keys do
    local key = keys[i]
    local reply = pcall('TYPE', key)
    local kind = reply.ok
    if kind == 'none' then
      miss(key, 1)
      vanished = vanished + 1
    else
      local place = 0
      if kind then
        place, hits = typePlace(kind), hits + 1
      else refuse('others', reply) end
      local ttl = pcall('PTTL', key)
      if type(ttl) == 'number' then
        hits = hits + 1
      else
        refuse('others', ttl)
        ttl = -3
      end
      local bytes = memory ~= '' and bytesOf(key) or -1
      n = n + 1
      if others == '' then packed[n] = pack('<I4Bdd', #key, place, ttl, bytes) .. key
      else packed[n] = pack('<I4BddBdd', #key, place, ttl, bytes, othersOf(key, kind)) .. key end
    end
  end
until at == '0' or left <= 0 or clock() >= untilTime

return {
  hits, misses(), scans, at, covered, math.floor((clock() - began) * 1000000 + 0.5), vanished,
  table.concat(typeNames, ','), table.concat(encodingNames, ','),
  refused.memory, refused.idle, refused.others, table.concat(packed),
}
