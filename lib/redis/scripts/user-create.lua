--[[
  Creates a user of the console unless the e-mail address is taken.

  KEYS[1]  the index of all users (set)
  KEYS[2]  the user's id by the digest of the address (string)
  KEYS[3]  the user (hash)
  ARGV[1]  the user's id
  ARGV[2]  '1': only if there is no user yet (first run)
  ARGV[3…] fields and values of the user

  Output   { 0, 0, 1 }   created
           { 0, 0, 0 }   the address is taken
           { 0, 0, -1 }  a user exists already
]]
if ARGV[2] == '1' and redis.call('SCARD', KEYS[1]) > 0 then return { 0, 0, -1 } end
if not redis.call('SET', KEYS[2], ARGV[1], 'NX') then return { 0, 0, 0 } end
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[3], unpack(ARGV, 3))
return { 0, 0, 1 }
