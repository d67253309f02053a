--[[
  A page of a collection, with long parts of its elements cut, so that they do not leave the server.

  KEYS[1]  the collection
  ARGV[1]  HSCAN, SSCAN, ZSCAN (by cursor), LRANGE, ZRANGE (by index), XRANGE, XREVRANGE (by id), or FIELDS: the fields
           of a hash in order, by index. FIELDS is for hashes of few fields: values longer than ARGV[5] are not loaded.
           Of a vector set VRANDMEMBER: names at random, and VGETATTR: what is attached to the element ARGV[2].
  ARGV[2]  cursor, first index, or id, exclusive; '' for the first entry (XREVRANGE: the last)
  ARGV[3]  elements; a hint for cursors
  ARGV[4]  bytes of a part that are returned
  ARGV[5]  bytes of a value that FIELDS loads
  ARGV[6]  pattern for cursors, or ''
  ARGV[7]  bytes of a field or member that are returned, as long as a page has few that are longer than ARGV[4]; or nothing

  Output   { hits, misses, next cursor ('' where the caller counts), element… }; an element is { part, its length, … }:
           field and value, member (and score), value, or id, then fields and values.
]]
-- @include "lookups"
local key, how, from, count = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local shown, largest, pattern = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local PARTS = { HSCAN = 2, SSCAN = 1, ZSCAN = 2, LRANGE = 1, ZRANGE = 2, VRANDMEMBER = 1, VGETATTR = 1 }

-- The fields and values of an entry that lib/keys/elements.ts shows.
local MAX_ENTRY_PARTS = 1000
local MAX_LONG_NAME_BYTES = 512 * 1024
local reply = { 0, 0, '' }
local longestName, nameBytesLeft = tonumber(ARGV[7]) or shown, MAX_LONG_NAME_BYTES
local function put(element, part, isName)
  local most = shown
  if isName and #part > shown and #part <= longestName and #part <= nameBytesLeft then
    most, nameBytesLeft = longestName, nameBytesLeft - #part
  end
  element[#element + 1] = #part > most and string.sub(part, 1, most) or part
  element[#element + 1] = #part
end
local function divide(parts)
  for i = 1, #parts, PARTS[how] do
    local element = {}
    for j = i, i + PARTS[how] - 1 do put(element, parts[j], j == i and how ~= 'LRANGE') end
    reply[#reply + 1] = element
  end
  if #parts == 0 then countEmpty(key) else hits = hits + 1 end
end

local function fields()
  local names = redis.call('HKEYS', key)
  if #names == 0 then countEmpty(key) else hits = hits + 1 end
  table.sort(names)
  for i = from + 1, math.min(from + count, #names) do
    local element = {}
    put(element, names[i], true)
    local length = redis.call('HSTRLEN', key, names[i])
    hits = hits + 1
    if length > largest then
      element[3], element[4] = '', length
    else
      put(element, redis.call('HGET', key, names[i]))
      hits = hits + 1
    end
    reply[#reply + 1] = element
  end
end

local function entries()
  local isForward = how == 'XRANGE'
  local first = from == '' and (isForward and '-' or '+') or '(' .. from
  local found = redis.call(how, key, first, isForward and '+' or '-', 'COUNT', count)
  if #found == 0 then countEmpty(key) else hits = hits + 1 end
  for _, entry in ipairs(found) do
    local element = {}
    put(element, entry[1])
    for i = 1, math.min(#entry[2], MAX_ENTRY_PARTS) do put(element, entry[2][i]) end
    reply[#reply + 1] = element
  end
end

if how == 'FIELDS' then
  from = tonumber(from)
  fields()
elseif how == 'XRANGE' or how == 'XREVRANGE' then
  entries()
elseif how == 'VRANDMEMBER' then
  divide(redis.call('VRANDMEMBER', key, count) or {})
elseif how == 'VGETATTR' then
  divide({ redis.call('VGETATTR', key, from) or nil })
elseif how == 'LRANGE' then
  divide(redis.call('LRANGE', key, from, from + count - 1))
elseif how == 'ZRANGE' then
  divide(redis.call('ZRANGE', key, from, from + count - 1, 'WITHSCORES'))
else
  local page
  if pattern == '' then page = redis.call(how, key, from, 'COUNT', count)
  else page = redis.call(how, key, from, 'MATCH', pattern, 'COUNT', count) end
  reply[3] = page[1]
  divide(page[2])
end
reply[1], reply[2] = hits, misses()
return reply
