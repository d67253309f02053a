--[[
  Reads what an edit compares with, in one step.

  KEYS[1]  the key
  ARGV[1]  what else to read: 'value', 'field', 'index', 'member', 'entry', 'bit' or ''
  ARGV[2]  its field, index, member, entry id or offset
  ARGV[3]  bytes above which it is not read

  Output   { hits, misses, type, length or -1, digest or '', expiry, state, what was read }: expiry epoch ms, -1 never;
           state 0 there is no such element, 1 found, 2 too large, 3 the type has no such elements; read was the string, the
           field's value, the list's element, the member's score ('' in a set), the entry's fields and values, or the bit.
]]
-- @include "lookups"
-- @include "expiry"
-- @include "key-digest"
local key, what, which, largest = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local kind, length, digest = stateOf(key)
if kind == 'none' then return { hits, misses(), kind, -1, '', -2, 0, '' } end

local function counted(...)
  hits = hits + 1
  return redis.call(...)
end
local function found(state, element)
  local expires = expiryOf(key)
  return { hits, misses(), kind, length, digest, expires, state, element or '' }
end
local function bounded(element)
  if not element then return found(0) end
  if #element > largest then return found(2) end
  return found(1, element)
end

if what == 'value' and kind == 'string' then
  if length > largest then return found(2) end
  return found(1, counted('GET', key))
elseif what == 'field' and kind == 'hash' then
  if counted('HSTRLEN', key, which) > largest then return found(2) end
  return bounded(counted('HGET', key, which))
elseif what == 'index' and kind == 'list' then
  return bounded(counted('LINDEX', key, which))
elseif what == 'member' and kind == 'set' then
  return found(counted('SISMEMBER', key, which), '')
elseif what == 'member' and kind == 'zset' then
  return bounded(counted('ZSCORE', key, which))
elseif what == 'entry' and kind == 'stream' then
  local entry = counted('XRANGE', key, which, which)[1]
  if not entry then return found(0) end
  return found(1, entry[2])
elseif what == 'bit' and kind == 'string' then
  return found(1, counted('GETBIT', key, which))
end
return found(what == '' and 1 or 3)
