--[[
  Creates a key that does not exist.

  KEYS[1]  the key
  ARGV[1]  its type
  ARGV[2]  its TTL in milliseconds; '' for none
  ARGV[3…] a string's value; a hash's fields and values; a list's elements; members; scores and members; an entry's fields
           and values

  Output   { hits, misses, state, length, digest }: 1 created, with its content as in key-look; 2 it exists
]]
-- @include "lookups"
-- @include "key-digest"
local key, kind = KEYS[1], ARGV[1]
if typeOf(key) ~= 'none' then return { hits, misses(), 2 } end
local COMMANDS = { string = 'SET', hash = 'HSET', list = 'RPUSH', set = 'SADD', zset = 'ZADD' }
if kind == 'stream' then
  redis.call('XADD', key, '*', unpack(ARGV, 3))
else
  redis.call(COMMANDS[kind], key, unpack(ARGV, 3))
end
if ARGV[2] ~= '' then redis.call('PEXPIRE', key, ARGV[2]) end
local _, length, digest = stateOf(key)
return { hits, misses(), 1, length, digest }
