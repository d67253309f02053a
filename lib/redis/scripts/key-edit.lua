--[[
  Makes one edit of a key that still is what was read, or undoes one. The TTL of the key is kept.

  KEYS[1]  the key
  ARGV[1]  the edit, a name of EDITS
  ARGV[2]  the type that the key must have; 'none' if it must not exist
  ARGV[3]  'length:digest' of the content that it must have, from key-look; '' if only the element is compared
  ARGV[4]  the expiry of a key that the edit creates, epoch ms; -1 for none
  ARGV[5…] what the edit needs, as named in EDITS

  Output   { hits, misses, state, …results }: 1 done; 0 changed since; 2 the new element exists already;
           3 its type changed, followed by it; 4 the key to create would have expired; 5 too large to copy for undo. The first
           result is 1 if the key still exists, else 0.
]]
-- @include "lookups"
-- @include "expiry"
-- @include "key-digest"
-- @include "clock"
local key, wanted, expires = KEYS[1], ARGV[2], tonumber(ARGV[4])

local function counted(...)
  hits = hits + 1
  return redis.call(...)
end

-- HSET removes the TTL of a field, where the server has such TTLs. What our user may not read is not lost by an edit.
local function fieldExpiry(field)
  local at = redis.pcall('HPEXPIRETIME', key, 'FIELDS', 1, field)
  if type(at) == 'table' and at.err and not string.find(at.err, 'nknown Redis command', 1, true) then
    error(at.err, 0)
  end
  if type(at) ~= 'table' or at.err then return -1 end
  hits = hits + 1
  return type(at[1]) == 'number' and at[1] or -1
end
local function setField(field, value, at)
  redis.call('HSET', key, field, value)
  if tonumber(at) > 0 then redis.call('HPEXPIREAT', key, at, 'FIELDS', 1, field) end
end
local function shaOf(element)
  return element and redis.sha1hex(element) or ''
end
-- For a list: the elements on both sides of a place, and the length, say whether others moved the place.
local function around(before, after)
  return shaOf(before >= 0 and counted('LINDEX', key, before)), shaOf(counted('LINDEX', key, after))
end

local EDITS = {}

-- SHA-1 of the value before, value
function EDITS.setString(before, value)
  if redis.sha1hex(counted('GET', key)) ~= before then return 0 end
  redis.call('SET', key, value, 'KEEPTTL')
  return 1
end
-- offset, bit before, bit
function EDITS.setBit(offset, before, bit)
  if tostring(counted('GETBIT', key, offset)) ~= before then return 0 end
  local length = counted('STRLEN', key)
  redis.call('SETBIT', key, offset, bit)
  return 1, length, counted('STRLEN', key)
end
-- offset, bit now, bit before, length now, length before: what SETBIT appended is removed
function EDITS.resetBit(offset, bit, before, length, shorter)
  if tostring(counted('GETBIT', key, offset)) ~= bit or counted('STRLEN', key) ~= tonumber(length) then return 0 end
  redis.call('SETBIT', key, offset, before)
  if shorter == length then return 1 end
  local tail = counted('GETRANGE', key, shorter, -1)
  if string.find(tail, '[^%z]') then
    redis.call('SETBIT', key, offset, bit)
    return 0
  end
  local rest = shorter == '0' and '' or counted('GETRANGE', key, 0, shorter - 1)
  redis.call('SET', key, rest, 'KEEPTTL')
  return 1
end
-- field, value, expiry of the field
function EDITS.addField(field, value, at)
  if tonumber(at) > 0 and tonumber(at) <= now then return 4 end
  if redis.call('HSETNX', key, field, value) == 0 then return 2 end
  setField(field, value, at)
  return 1
end
-- field, value before, value
function EDITS.setField(field, before, value)
  if counted('HGET', key, field) ~= before then return 0 end
  setField(field, value, fieldExpiry(field))
  return 1
end
-- field, value, new field
function EDITS.renameField(field, value, to)
  if counted('HGET', key, field) ~= value then return 0 end
  if counted('HEXISTS', key, to) == 1 then return 2 end
  setField(to, value, fieldExpiry(field))
  redis.call('HDEL', key, field)
  return 1
end
-- field, value
function EDITS.removeField(field, value)
  if counted('HGET', key, field) ~= value then return 0 end
  local at = fieldExpiry(field)
  redis.call('HDEL', key, field)
  return 1, at
end
-- field, value, its new expiry: epoch ms 'at', or ms from now 'in'; -1 for none
function EDITS.setFieldTtl(field, value, expiry, from)
  if counted('HGET', key, field) ~= value then return 0 end
  local before, at = fieldExpiry(field), tonumber(expiry)
  if at == -1 then
    redis.call('HPERSIST', key, 'FIELDS', 1, field)
  else
    if from == 'in' then at = now + at end
    if at <= now then return 4 end
    redis.call('HPEXPIREAT', key, string.format('%.0f', at), 'FIELDS', 1, field)
  end
  return 1, before
end
-- index, element before, element
function EDITS.setAt(index, before, value)
  if counted('LINDEX', key, index) ~= before then return 0 end
  redis.call('LSET', key, index, value)
  return 1
end
-- index, element, marker: LREM removes by value, so the element becomes a unique one first
function EDITS.removeAt(index, before, marker)
  if counted('LINDEX', key, index) ~= before then return 0 end
  local length = counted('LLEN', key)
  redis.call('LSET', key, index, marker)
  redis.call('LREM', key, index * 2 < length and 1 or -1, marker)
  if length == 1 then return 1, '', '', 0 end
  local left, right = around(index - 1, index)
  return 1, left, right, length - 1
end
-- index, element, marker, digests of the elements before and after it, length
function EDITS.insertAt(index, value, marker, left, right, length)
  index, length = tonumber(index), tonumber(length)
  if length > 0 then
    local before, after = around(index - 1, index)
    if counted('LLEN', key) ~= length or before ~= left or after ~= right then return 0 end
  end
  if index >= length then
    redis.call('RPUSH', key, value)
  else
    local moved = counted('LINDEX', key, index)
    redis.call('LSET', key, index, marker)
    redis.call('LINSERT', key, 'BEFORE', marker, value)
    redis.call('LSET', key, index + 1, moved)
  end
  return 1
end
-- end, element
function EDITS.push(where, value)
  redis.call(where == 'head' and 'LPUSH' or 'RPUSH', key, value)
  return 1
end
function EDITS.pop(where, value)
  if counted('LINDEX', key, where == 'head' and 0 or -1) ~= value then return 0 end
  redis.call(where == 'head' and 'LPOP' or 'RPOP', key)
  return 1
end
-- member; and for a sorted set its score
function EDITS.addMember(member, score)
  local added
  if score then added = redis.call('ZADD', key, 'NX', score, member) else added = redis.call('SADD', key, member) end
  if added == 0 then return 2 end
  return 1, score and counted('ZSCORE', key, member) or ''
end
local function holds(member, score)
  if score then return counted('ZSCORE', key, member) == score end
  return counted('SISMEMBER', key, member) == 1
end
function EDITS.removeMember(member, score)
  if not holds(member, score) then return 0 end
  redis.call(score and 'ZREM' or 'SREM', key, member)
  return 1
end
-- member, new member, score
function EDITS.renameMember(member, to, score)
  if not holds(member, score) then return 0 end
  if score then
    if redis.call('ZADD', key, 'NX', score, to) == 0 then return 2 end
  elseif redis.call('SADD', key, to) == 0 then
    return 2
  end
  redis.call(score and 'ZREM' or 'SREM', key, member)
  return 1
end
-- member, score before, score
function EDITS.setScore(member, before, score)
  if not holds(member, before) then return 0 end
  redis.call('ZADD', key, score, member)
  return 1, counted('ZSCORE', key, member)
end
-- fields and values, alternating
function EDITS.addEntry(...)
  return 1, redis.call('XADD', key, '*', ...)
end
local function checkOf(dump)
  return string.sub(dump, -8)
end
-- entry id. Entries never change.
function EDITS.removeEntry(id)
  if redis.call('XDEL', key, id) == 0 then return 0 end
  return 1
end
-- entry id, bytes of memory above which the stream is not copied
function EDITS.takeEntry(id, largest)
  local size = redis.pcall('MEMORY', 'USAGE', key)
  if type(size) == 'number' and size > tonumber(largest) then return 5 end
  local before = counted('DUMP', key)
  if redis.call('XDEL', key, id) == 0 then return 0 end
  return 1, before, checkOf(counted('DUMP', key))
end
-- checksum of the DUMP now, DUMP before: entries cannot be inserted, so an undo restores the complete stream
function EDITS.restoreStream(check, dump)
  if checkOf(counted('DUMP', key)) ~= check then return 0 end
  local at = expiryOf(key)
  redis.call('RESTORE', key, at == -1 and 0 or string.format('%.0f', at), dump, 'REPLACE', 'ABSTTL')
  return 1
end
function EDITS.delete()
  redis.call('UNLINK', key)
  return 1
end

local kind, length, digest
if ARGV[3] == '' then kind = typeOf(key) else kind, length, digest = stateOf(key) end
if kind ~= wanted then return { hits, misses(), 3, kind } end
if ARGV[3] ~= '' and length .. ':' .. digest ~= ARGV[3] then return { hits, misses(), 0 } end
local creates = kind == 'none' and expires > 0
if creates and expires <= now then return { hits, misses(), 4 } end
local results = { EDITS[ARGV[1]](unpack(ARGV, 5)) }
if results[1] ~= 1 then return { hits, misses(), unpack(results) } end
if creates then redis.call('PEXPIREAT', key, ARGV[4]) end
local exists = redis.call('EXISTS', key)
if exists == 1 then hits = hits + 1 else miss(key, 1) end
return { hits, misses(), 1, exists, unpack(results, 2) }
