--[[
  Defines checkOf(key), counted: what a key must still be for an undo; '' for a missing one. Needs lookups and key-digest.
  A digest of the content where the DUMP follows the order of a hash table, which changes while nobody writes: of hashes and
  sets; and of small keys. Of others, and of streams, whose groups are part of them, the CRC-64 of the DUMP. nil for a hash
  or set above MAX_UNORDERED elements: whether it is the same is not found out.
]]
local MAX_UNORDERED, MODULUS = 5000, 2 ^ 52
-- The sum of the digests of all elements does not depend on their order, and costs no sorting.
local function sumOf(parts, each)
  local first, second = 0, 0
  for i = 1, #parts, each do
    local hex = redis.sha1hex(each == 1 and parts[i] or frame(parts[i]) .. parts[i + 1])
    first = (first + tonumber(string.sub(hex, 1, 13), 16)) % MODULUS
    second = (second + tonumber(string.sub(hex, 14, 26), 16)) % MODULUS
  end
  return string.format('%.0f-%.0f', first, second)
end
local function checkOf(key)
  local kind, length, digest = stateOf(key)
  if kind == 'none' then return '' end
  local state = kind .. ':' .. length .. ':'
  if digest ~= '' and kind ~= 'stream' then return state .. digest end
  if kind == 'hash' or kind == 'set' then
    if length > MAX_UNORDERED then return nil end
    hits = hits + 1
    return state .. (kind == 'hash' and sumOf(redis.call('HGETALL', key), 2) or sumOf(redis.call('SMEMBERS', key), 1))
  end
  local dump = redis.call('DUMP', key)
  hits = hits + 1
  return string.sub(dump, -8)
end
