--[[
  Defines stateOf(key): its type, length and digest, counted. Needs lookups. The length is -1 for types of modules; the
  type is 'none' for a missing key. The digest is the hex SHA-1 of the complete content, for hashes and sets independent of
  order, and '' where the content is large or of a module's type: nothing of it is read then.
  lib/key-values/key-state.ts computes the same with commands.
]]
local MAX_DIGEST_BYTES, MAX_DIGEST_ELEMENTS = 1048576, 1000
local LENGTHS = { string = 'STRLEN', hash = 'HLEN', list = 'LLEN', set = 'SCARD', zset = 'ZCARD', stream = 'XLEN' }
local function frame(text) return #text .. ':' .. text end
local function framesOf(parts)
  local out = {}
  for i = 1, #parts do out[i] = frame(parts[i]) end
  return table.concat(out)
end
-- Digests are sorted instead of elements, because Lua compares text by the server's locale.
local function unordered(parts, each)
  local out = {}
  for i = 1, #parts, each do
    out[#out + 1] = redis.sha1hex(framesOf({ unpack(parts, i, i + each - 1) }))
  end
  table.sort(out)
  return table.concat(out)
end
local CONTENTS = {
  hash = function(key) return unordered(redis.call('HGETALL', key), 2) end,
  set = function(key) return unordered(redis.call('SMEMBERS', key), 1) end,
  list = function(key) return framesOf(redis.call('LRANGE', key, 0, -1)) end,
  zset = function(key) return framesOf(redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')) end,
  stream = function(key)
    local entries = redis.call('XRANGE', key, '-', '+')
    for i, entry in ipairs(entries) do entries[i] = frame(entry[1]) .. frame(framesOf(entry[2])) end
    return table.concat(entries)
  end,
}
local function isLarge(key, kind, length)
  if kind == 'string' then return length > MAX_DIGEST_BYTES end
  if length > MAX_DIGEST_ELEMENTS then return true end
  local bytes = redis.pcall('MEMORY', 'USAGE', key, 'SAMPLES', 0)
  return type(bytes) ~= 'number' or bytes > MAX_DIGEST_BYTES
end
local function stateOf(key)
  local kind = typeOf(key)
  if not LENGTHS[kind] then return kind, -1, '' end
  local length = redis.call(LENGTHS[kind], key)
  hits = hits + 1
  if isLarge(key, kind, length) then return kind, length, '' end
  local content = kind == 'string' and redis.call('GET', key) or CONTENTS[kind](key)
  hits = hits + 1
  return kind, length, redis.sha1hex(content)
end
