--[[
  Takes scheduled work that is due, once.

  KEYS[1]  the due list (zset of ids by time)
  KEYS[2]  the scheduled work (hash of JSON by id)
  ARGV[1]  the member of the due list
  ARGV[2]  the field of the work
  ARGV[3]  the work as running under whoever claims it

  Output   { 0, 0, 1 } claimed; { 0, 0, 0 } another has it, or it was taken out
]]
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return { 0, 0, 0 } end
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 then return { 0, 0, 0 } end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
return { 0, 0, 1 }
