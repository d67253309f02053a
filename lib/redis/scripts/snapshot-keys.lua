--[[
  Reads keys with their values and expiry, so that they can be restored.

  ARGV[1]   memory in bytes above which a value is not dumped: that would block the server
  ARGV[2]   bytes of values after which no further key is read
  ARGV[3…]  keys. Not as KEYS: they may be in several slots of one node.

  Output    { hits, misses, keys read, their memory in bytes, packed }; packed is, for each key read:
            >I4 length of its DUMP, 0 when missing, 2^32 - 1 when too large, 2^32 - 2 elsewhere; >d its expiry, epoch ms,
            -1 for never; its DUMP. MEMORY USAGE counts as neither hit nor miss.
]]
-- @include "lookups"
-- @include "expiry"
local largest, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local memory, bytes, looked = 0, 0, 0
local packed = {}
for i = 3, #ARGV do
  local size = redis.pcall('MEMORY', 'USAGE', ARGV[i])
  looked = looked + 1
  if type(size) == 'table' and not string.find(size.err, 'ermission', 1, true) and isElsewhere(size) then
    packed[#packed + 1] = struct.pack('>I4d', 4294967294, -1)
  elseif type(size) == 'number' and size > largest then
    memory = memory + size
    packed[#packed + 1] = struct.pack('>I4d', 4294967295, -1)
  else
    local dump = size and redis.pcall('DUMP', ARGV[i])
    if type(dump) == 'table' and isElsewhere(dump) then
      packed[#packed + 1] = struct.pack('>I4d', 4294967294, -1)
    elseif not dump then
      if size then miss(ARGV[i], 1) end
      packed[#packed + 1] = struct.pack('>I4d', 0, -1)
    else
      hits = hits + 1
      if type(size) == 'number' then memory = memory + size end
      packed[#packed + 1] = struct.pack('>I4d', #dump, expiryOf(ARGV[i]))
      packed[#packed + 1] = dump
      bytes = bytes + #dump
    end
  end
  if bytes >= most then break end
end
return { hits, misses(), looked, memory, table.concat(packed) }
