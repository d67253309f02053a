--[[
  Changes a session only while its value still names the user it was read with, or is still what was read.

  KEYS[1]    the session's key
  KEYS[2]    the index (the session's key again where there is none)
  KEYS[3..]  legacy keys of the same token, for 'revoke'
  ARGV[1]    'revoke' session, entry and legacy keys; 'unindex' the entry of a session that does not exist or is another
             user's; 'index' the session; 'expire' a session without TTL
  ARGV[2]    the session as the index names it
  ARGV[3]    type of the index: set or zset
  ARGV[4]    what must be found again: '' anything, 'user:{id}', 'none' (no user), 'long:{length}' of a hash's field,
             'value:{SHA-1 of its beginning}:{length}' of a string, 'type:{type}'
  ARGV[5]    type of sessions: hash or string
  ARGV[6]    maximum length of a string that is parsed
  ARGV[7]    for 'expire': milliseconds to live; 0 or less: end it
  ARGV[8..]  where the user is: the hash's field, or the path in the JSON object

  Output     { hits, misses, session, entry, legacy, found, ttl }: how many of each were removed or changed; session is
             2 where 'expire' ended it; found is 'missing', 'same', 'other' or 'changed'; ttl is that of the session before
             'index', in ms.
]]
-- @include "lookups"
-- @include "unless-wrong-type"
local session, index, action, member, expected = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[4]
local longest = tonumber(ARGV[6])

local function unindex()
  return unlessWrongType(ARGV[3] == 'zset' and 'ZREM' or 'SREM', index, member) or 0
end

-- 'user:{id}' or 'none' of a JSON object; '' where it cannot be read.
local function ownerIn(stored)
  local fine, value = pcall(cjson.decode, stored)
  if not fine then return '' end
  for f = 8, #ARGV do
    if type(value) ~= 'table' then return '' end
    value = value[ARGV[f]]
    if value == nil or value == cjson.null then return 'none' end
  end
  if type(value) == 'number' then return 'user:' .. string.format('%.0f', value) end
  return type(value) == 'string' and 'user:' .. value or ''
end

local function ownerOf(kind)
  hits = hits + 1
  if kind == 'hash' then
    local length = redis.call('HSTRLEN', session, ARGV[8])
    if length == 0 then return 'none' end
    if length > 64 then return 'long:' .. length end
    hits = hits + 1
    return 'user:' .. redis.call('HGET', session, ARGV[8])
  end
  local length = redis.call('STRLEN', session)
  hits = hits + 1
  local stored = redis.call('GETRANGE', session, 0, longest - 1)
  local isWhole = string.sub(expected, 1, 6) == 'value:'
  if isWhole or length > longest then return 'value:' .. redis.sha1hex(stored) .. ':' .. length end
  return ownerIn(stored)
end

-- 'missing', 'same' as expected, 'other' user's, or 'changed'.
local function look()
  local kind = typeOf(session)
  if kind == 'none' then return 'missing' end
  if expected == '' then return 'same' end
  local found = kind == ARGV[5] and ownerOf(kind) or 'type:' .. kind
  if found == expected then return 'same' end
  return string.sub(found, 1, 5) == 'user:' and 'other' or 'changed'
end

local found = look()
local done, entry, legacy, lives = 0, 0, 0, 0
if action == 'revoke' then
  if found == 'same' then done = redis.call('UNLINK', session) end
  -- A session that cannot be read any more keeps its entry, so that it is found again.
  if found ~= 'changed' then entry = unindex() end
  for i = 3, #KEYS do legacy = legacy + redis.call('UNLINK', KEYS[i]) end
elseif action == 'unindex' then
  if found == 'missing' or found == 'other' then entry = unindex() end
elseif found == 'same' and action == 'index' then
  local ttl, its = pttlOf(session), pttlOf(index)
  lives = ttl
  done = unlessWrongType('SADD', index, member) or 0
  if done == 1 and ttl == -1 then
    redis.call('PERSIST', index)
  elseif done == 1 and (its == -2 or (its >= 0 and its < ttl)) then
    redis.call('PEXPIRE', index, ttl)
  end
elseif found == 'same' and action == 'expire' and pttlOf(session) == -1 then
  local left = tonumber(ARGV[7])
  if left <= 0 then
    done = 2
    redis.call('UNLINK', session)
    entry = unindex()
  else
    done = redis.call('PEXPIRE', session, left)
    local its = pttlOf(index)
    if its >= 0 and its < left then redis.call('PEXPIRE', index, left) end
  end
end
return { hits, misses(), done, entry, legacy, found, lives }
