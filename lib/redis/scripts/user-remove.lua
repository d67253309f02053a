--[[
  Removes a user of the console, unless the record changed since it was read.

  KEYS[1]  the index of all users (set)
  KEYS[2]  the user's id by the digest of the address (string)
  KEYS[3]  the user (hash)
  KEYS[4]  the user's invitation (hash)
  ARGV[1]  the user's id
  ARGV[2]  the user's MAC as it was read

  Output   { 0, 0, 1 }  removed
           { 0, 0, 0 }  the record changed, or the address is another user's
]]
if redis.call('HGET', KEYS[3], 'mac') ~= ARGV[2] or redis.call('GET', KEYS[2]) ~= ARGV[1] then
  return { 0, 0, 0 }
end
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
redis.call('SREM', KEYS[1], ARGV[1])
return { 0, 0, 1 }
