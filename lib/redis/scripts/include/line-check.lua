--[[
  Defines checkOf(key), counted: what a key must still be for an undo; '' for a missing one. Needs lookups and key-digest.
  Of small keys the digest of their content, which a rehash does not change; else, and of streams, whose groups are part of
  them, the CRC-64 of the DUMP.
]]
local function checkOf(key)
  local kind, length, digest = stateOf(key)
  if kind == 'none' then return '' end
  if digest ~= '' and kind ~= 'stream' then return kind .. ':' .. length .. ':' .. digest end
  local dump = redis.call('DUMP', key)
  hits = hits + 1
  return string.sub(dump, -8)
end
