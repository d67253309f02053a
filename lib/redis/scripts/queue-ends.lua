--[[
  How a queue changed since it was last read, at one moment, and what to find at its ends the next time.

  KEYS[1]  a list, sorted set or stream
  ARGV[1]  elements that are searched at each end of a list
  ARGV[2]  bytes of an element that is remembered
  ARGV[3]  mean bytes of an element above which elements are not read
  ARGV[4]  '1' where the first element is remembered, else '0';  ARGV[5]  that element
  ARGV[6]  '1' where the last element is remembered, else '0';   ARGV[7]  that element

  Output   { hits, misses, type, length, … }
           list    …, elements before the remembered first one, elements behind the remembered last one (-1: not found,
                   -2: unknown), { first element }, { last element }: empty where it is not the only one like it, or long
           stream  …, entries ever added (-1: unknown)
]]
-- @include "lookups"
local key = KEYS[1]
local searched, longest, largest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local kind = typeOf(key)

local function isLarge(length)
  return (redis.call('MEMORY', 'USAGE', key) or 0) / math.max(1, length) > largest
end

-- Two elements alike cannot be distinguished: the place of neither is known.
local function find(element, rank, length)
  local at = redis.call('LPOS', key, element, 'RANK', rank, 'COUNT', 2, 'MAXLEN', searched)
  hits = hits + 1
  if #at == 0 then return -1 end
  if #at == 2 then return -2 end
  return rank == 1 and at[1] or length - 1 - at[1]
end

local function markAt(index, rank, length)
  local element = redis.call('LINDEX', key, index)
  hits = hits + 1
  if #element > longest or find(element, rank, length) ~= 0 then return {} end
  return { element }
end

local function list(length)
  if isLarge(length) then return { -2, -2, {}, {} } end
  local first = ARGV[4] == '1' and find(ARGV[5], 1, length) or -2
  local last = ARGV[6] == '1' and find(ARGV[7], -1, length) or -2
  return { first, last, markAt(0, 1, length), markAt(-1, -1, length) }
end

-- XINFO returns the first and the last entry too.
local function stream(length)
  if isLarge(length) then return { -1 } end
  local added = -1
  local info = redis.call('XINFO', 'STREAM', key)
  hits = hits + 1
  for i = 1, #info, 2 do
    if info[i] == 'entries-added' then added = info[i + 1] end
  end
  return { added }
end

local LENGTHS = { list = 'LLEN', zset = 'ZCARD', stream = 'XLEN' }
local reply = { 0, 0, kind, 0 }
if LENGTHS[kind] then
  local length = redis.call(LENGTHS[kind], key)
  hits = hits + 1
  reply[4] = length
  local more = kind == 'list' and list(length) or kind == 'stream' and stream(length) or {}
  for _, each in ipairs(more) do reply[#reply + 1] = each end
end
reply[1], reply[2] = hits, misses()
return reply
