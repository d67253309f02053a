--[[
  Reads single fields of small JSON strings. The rest of a value, which may be a token, does not leave the server.

  KEYS     the strings
  ARGV[1]  maximum length of a value that is parsed; ARGV[2..] names of the fields

  Output   { hits, misses, value… }, each {} when it does not exist, else { pttl, form, field… }: form is 'json', 'unread'
           (a dictionary that is not JSON, or with a number of more digits than Lua keeps: the caller parses it), 'bare',
           'large' or 'other' (not a string); a field is its text, or 0 when absent.
]]
-- @include "lookups"
-- @include "unless-wrong-type"
local longest = tonumber(ARGV[1])

local function text(value)
  if type(value) == 'string' then return value end
  if type(value) ~= 'number' then return 0 end
  return string.format(value == math.floor(value) and '%.0f' or '%.3f', value)
end

local function look(key, pttl)
  local length = unlessWrongType('STRLEN', key)
  hits = hits + 1
  if not length then return { pttl, 'other' } end
  if length > longest then
    hits = hits + 1
    return { pttl, redis.call('GETRANGE', key, 0, 0) == '{' and 'large' or 'bare' }
  end
  hits = hits + 1
  local stored = redis.call('GET', key)
  local fine, value = pcall(cjson.decode, stored)
  if not fine and string.find(stored, '^%s*{') then return { pttl, 'unread' } end
  if not fine or type(value) ~= 'table' then return { pttl, 'bare' } end
  local out = { pttl, 'json' }
  for f = 2, #ARGV do
    local found = value[ARGV[f]]
    if type(found) == 'number' and math.abs(found) >= 2 ^ 53 then return { pttl, 'unread' } end
    out[f + 1] = text(found)
  end
  return out
end

local reply = { 0, 0 }
for _, key in ipairs(KEYS) do
  local pttl = pttlOf(key)
  reply[#reply + 1] = pttl == -2 and {} or look(key, pttl)
end
reply[1] = hits
reply[2] = misses()
return reply
