--[[
  Several HSCAN calls over a hash of counters. Returns the fields whose count exceeds a minimum, and only figures for
  all others.

  KEYS[1]  the hash
  ARGV[1]  cursor to begin with
  ARGV[2]  COUNT per call
  ARGV[3]  number of calls
  ARGV[4]  return counts above this; -1 for all

  Output   { hits, misses, next cursor ('' where the key is not a hash), figures, then field and value, … }.
           Figures: fields of the hash, fields examined, fields that are not a count, sum, then how many counts have 1 to
           12 digits. Longer counts are always returned and are in neither the sum nor those twelve: a Lua number
           would round them.
]]
local find, byte, concat = string.find, string.byte, table.concat
local key, cursor, count, calls, least = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local DIGITS = 12
-- @include "lookups"
-- @include "unless-wrong-type"
local seen, unreadable, sum = 0, 0, 0
local reply, digits, smallest = { 0, 0, '', '' }, {}, {}
for i = 1, DIGITS do
  digits[i] = 0
  smallest[i] = i == 1 and 0 or 10 ^ (i - 1)
end

-- Reused for each call's values, and for their lengths until all are known to be counts.
local values, lengths = {}, {}

-- All values of a call in one loop, without a function call for each. Fails for a value that is not a number or too
-- long; comparing the total of digits finds other texts that Lua accepts as numbers.
local function takeCounts(elements)
  local many, given, added = 0, #reply, 0
  for i = 1, DIGITS do lengths[i] = 0 end
  for i = 2, #elements, 2 do
    local value = elements[i]
    local n, length = value + 0, #value
    lengths[length] = lengths[length] + 1
    if n < smallest[length] then error() end
    added = added + n
    many = many + 1
    values[many] = value
    if n > least then
      reply[given + 1] = elements[i - 1]
      reply[given + 2] = value
      given = given + 2
    end
  end
  if not find(concat(values, '', 1, many), '^%d*$') then error() end
  sum = sum + added
  for i = 1, DIGITS do digits[i] = digits[i] + lengths[i] end
end

-- A non-negative value that HINCRBY accepts.
local function isCount(value)
  local length = #value
  if not find(value, '^%d+$') or (length > 1 and byte(value) == 48) then return false end
  return length < 19 or (length == 19 and value <= '9223372036854775807')
end

local function takeOneByOne(elements)
  for i = 2, #elements, 2 do
    local value = elements[i]
    if not isCount(value) then
      unreadable = unreadable + 1
    else
      local n, length = tonumber(value), #value
      if length <= DIGITS then
        sum = sum + n
        digits[length] = digits[length] + 1
      end
      if n > least or length > DIGITS then
        reply[#reply + 1] = elements[i - 1]
        reply[#reply + 1] = value
      end
    end
  end
end

local function take(elements)
  local given = #reply
  if pcall(takeCounts, elements) then return end
  for i = #reply, given + 1, -1 do reply[i] = nil end
  takeOneByOne(elements)
end

repeat
  local page = unlessWrongType('HSCAN', key, cursor, 'COUNT', count)
  if not page then return { hits + 1, misses(), '', '' } end
  local elements = page[2]
  cursor = page[1]
  if #elements > 0 or cursor ~= '0' then
    hits = hits + 1
  else
    countEmpty(key)
  end
  take(elements)
  seen = seen + #elements / 2
  calls = calls - 1
until cursor == '0' or calls == 0
local length = redis.call('HLEN', key)
if length > 0 then hits = hits + 1 else miss(key, 1) end
reply[1] = hits
reply[2] = misses()
reply[3] = cursor
reply[4] = string.format('%d %d %d %.0f ', length, seen, unreadable, sum) .. concat(digits, ' ')
return reply
