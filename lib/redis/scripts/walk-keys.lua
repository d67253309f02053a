--[[
  One call of a walk over all keys, with facts of each key. Ends after ARGV[3] of the server's time. Without a clock it
  ends after its first page, unless ARGV[3] is ''.

  ARGV[1]  cursor
  ARGV[2]  count: how many keys at most, roughly
  ARGV[3]  µs after which no further page is begun; '' where the server is known to have no clock
  ARGV[4]  memory: '' none, 'estimate' from five elements, 'exact' from all elements of keys up to ARGV[6]
  ARGV[5]  letters of what else is wanted: 'e' encoding, 'i' idle time, 'l' length of each key; 'E', 'I', 'L' of one key in ARGV[7]
  ARGV[6]  bytes above which a collection's memory stays an estimate
  ARGV[7]  see ARGV[5]

  Output   { hits, misses, other commands, next cursor, covered, µs, vanished, types, encodings, refused memory, refused idle,
           refused others, packed }. covered: the COUNT of all pages. µs: 0 without a clock. Types and encodings: names, joined
           by commas, whose places (from 1) are in the rows; 0 where unknown. Refused: the first error text, or ''. packed is
           one MessagePack array, '' without keys, of each key's name, place of its type, PTTL (-3 unknown) and bytes (-1
           unknown; an estimate below -1 is that of a key above ARGV[6]). Where 256 is added to the place of the type, place
           of the encoding, length (-1 unknown) and idle seconds (-1 unknown) follow.
]]
-- @include "lookups"
-- Small pages: the keys are still in the processor's cache when their facts are read. Reading all elements takes longer.
local PAGE = ARGV[4] == 'exact' and 10 or 50
local LENGTHS = { string = 'STRLEN', hash = 'HLEN', list = 'LLEN', set = 'SCARD', zset = 'ZCARD', stream = 'XLEN' }
local pcall = redis.pcall
local commands = 0
-- Seconds. Redis 7.4 and Valkey 8 have os.clock. Before 7.2 TIME moves during a script. Between them there is no clock, nor
-- where our user may not run TIME.
local hasClock, clock = _G.pcall(function() return os.clock end)
if not hasClock then
  clock = function()
    local time = pcall('TIME')
    if time.err then return 0 end
    commands = commands + 1
    return tonumber(time[1]) + tonumber(time[2]) / 1000000
  end
end
local began, limit = clock(), tonumber(ARGV[3])
local function isOver()
  if not limit then return false end
  local now = clock()
  return now == began or now >= began + limit / 1000000
end
local at, left, covered, vanished = ARGV[1], tonumber(ARGV[2]), 0, 0
local memory, others, large = ARGV[4], ARGV[5], tonumber(ARGV[6])
local every = tonumber(ARGV[7])
local function wanted(letter) return string.find(others, letter, 1, true) end
local each = { encodings = wanted('e'), idles = wanted('i'), lengths = wanted('l') }
local sampled = {
  encodings = wanted('e') or wanted('E'), idles = wanted('i') or wanted('I'), lengths = wanted('l') or wanted('L'),
}
local wantsEach, wantsSampled = string.find(others, '%l'), others ~= ''
local refused = { memory = '', idle = '', others = '' }
local rows, n, seen = {}, 0, 0

local function naming()
  local places, names = {}, {}
  return places, function(name)
    local place = places[name]
    if not place then
      place = #names < 255 and #names + 1 or 0
      if place > 0 then names[place], places[name] = name, place end
    end
    return place
  end, names
end
local typePlaces, typePlace, typeNames = naming()
local _, encodingPlace, encodingNames = naming()

local function refuse(what, reply)
  if refused[what] == '' then refused[what] = reply.err end
end

-- The bytes that MEMORY USAGE answered.
local function counted(bytes)
  if type(bytes) == 'table' then refuse('memory', bytes) else commands = commands + 1 end
  return type(bytes) == 'number' and bytes or -1
end

-- Of a string the estimate is exact.
local function bytesOf(key, kind)
  local bytes = counted(pcall('MEMORY', 'USAGE', key))
  if memory ~= 'exact' or kind == 'string' or bytes == -1 then return bytes end
  if bytes > large then return -bytes end
  return counted(pcall('MEMORY', 'USAGE', key, 'SAMPLES', 0))
end

-- The idle time first: reading a length resets it without CLIENT NO-TOUCH.
local function othersOf(key, kind, wants)
  local encoding, length, idle = 0, -1, -1
  if wants.idles then
    local seconds = pcall('OBJECT', 'IDLETIME', key)
    if type(seconds) == 'number' then
      idle, hits = seconds, hits + 1
      -- Small integers are one shared object, whose idle time is of no key (`shared-value.ts`).
      if kind == 'string' and seconds > 60 then
        local count = pcall('OBJECT', 'REFCOUNT', key)
        if type(count) == 'number' then
          hits = hits + 1
          if count >= 2 ^ 28 then idle = -1 end
        end
      end
    elseif type(seconds) == 'table' then
      -- A policy that counts frequency refuses after looking the key up.
      if not string.find(seconds.err, 'ermission', 1, true) and not string.find(seconds.err, "can't", 1, true) then
        hits = hits + 1
      end
      refuse('idle', seconds)
      each.idles, sampled.idles = nil, nil
    end
  end
  if wants.encodings then
    local name = pcall('OBJECT', 'ENCODING', key)
    if type(name) == 'string' then
      encoding, hits = encodingPlace(name), hits + 1
    elseif type(name) == 'table' then refuse('others', name) end
  end
  if wants.lengths and LENGTHS[kind] then
    local count = pcall(LENGTHS[kind], key)
    if type(count) == 'number' then
      length, hits = count, hits + 1
    elseif type(count) == 'table' then refuse('others', count) end
  end
  return encoding, length, idle
end

local function isAway(reply)
  local isKnown, isIt = _G.pcall(isElsewhere, reply)
  return isKnown and isIt
end

repeat
  local count = math.min(left, PAGE)
  local page = redis.call('SCAN', at, 'COUNT', count)
  commands, covered, left, at = commands + 1, covered + count, left - count, page[1]
  local keys = page[2]
  for i = 1, #keys do
    local key = keys[i]
    local reply = pcall('TYPE', key)
    local kind = reply.ok
    if kind == 'none' then
      miss(key, 1)
      vanished = vanished + 1
    -- In a slot that is just being taken over: its node so far answers for it.
    elseif kind or not isAway(reply) then
      local place = 0
      if kind then
        place, hits = typePlaces[kind] or typePlace(kind), hits + 1
      else refuse('others', reply) end
      local ttl = pcall('PTTL', key)
      if type(ttl) == 'number' then
        hits = hits + 1
      else
        refuse('others', ttl)
        ttl = -3
      end
      local bytes = memory ~= '' and bytesOf(key, kind) or -1
      rows[n + 1], rows[n + 2], rows[n + 3], rows[n + 4] = key, place, ttl, bytes
      n, seen = n + 4, seen + 1
      local isSampled = wantsSampled and seen % every == 0
      if isSampled or wantsEach then
        rows[n - 2] = place + 256
        rows[n + 1], rows[n + 2], rows[n + 3] = othersOf(key, kind, isSampled and sampled or each)
        n = n + 3
      end
    end
  end
until at == '0' or left <= 0 or isOver()

local micros = math.floor((clock() - began) * 1000000 + 0.5)
return {
  hits, misses(), commands, at, covered, micros, vanished,
  table.concat(typeNames, ','), table.concat(encodingNames, ','),
  refused.memory, refused.idle, refused.others, n > 0 and cmsgpack.pack(rows) or '',
}
