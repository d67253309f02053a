--[[
  Sets or deletes a field of a hash if it still holds the value that was read.

  KEYS[1]  the hash
  ARGV[1]  the field
  ARGV[2]  the value read ('': absent)
  ARGV[3]  the value to set ('': delete)
  ARGV[4]  how many fields the hash may have afterwards

  Output   { 0, 0, 1 } changed; { 0, 0, 0 } it holds another value; { 0, 0, -1 } the hash is full
]]
local present = redis.call('HGET', KEYS[1], ARGV[1])
if (present or '') ~= ARGV[2] then return { 0, 0, 0 } end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  return { 0, 0, 1 }
end
if not present and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then return { 0, 0, -1 } end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return { 0, 0, 1 }
