--[[
  Defines copyKey(from, to), counted: copies a key that exists with its TTL; false where the other name is taken. Needs
  lookups and expiry. COPY refuses keys of modules that DUMP and RESTORE can copy, as vector sets.
]]
local function copyKey(from, to)
  local copied = redis.pcall('COPY', from, to)
  if type(copied) == 'number' then
    -- Since Redis 7, which brought PEXPIRETIME, COPY looks its source up for reading.
    if type(redis.pcall('PEXPIRETIME', from)) == 'number' then hits = hits + 2 end
    return copied == 1
  end
  local dump, at = redis.call('DUMP', from), expiryOf(from)
  hits = hits + 1
  local restored = redis.pcall('RESTORE', to, at == -1 and '0' or string.format('%.0f', at), dump, 'ABSTTL')
  if type(restored) ~= 'table' or not restored.err then return true end
  if string.find(restored.err, 'BUSYKEY', 1, true) then return false end
  error(copied.err, 0)
end
