--[[
  Changes a user of the console. The last enabled admin stays one: counted and changed in one step, so that two
  admins who demote each other at once do not both succeed.

  KEYS[1]  the user (hash)
  KEYS[2…] all users (hashes), for counting admins
  ARGV[1]  '1': the change takes away an admin, unless the user is none or is disabled anyway
  ARGV[2]  '1': all sessions of the user end (the epoch is raised)
  ARGV[3…] fields and values to set, possibly none

  Output   { 0, 0, 1, before, after }  changed; HGETALL of the user before and after
           { 0, 0, 0 }                 there is no such user
           { 0, 0, -1 }                it would leave no enabled admin
]]
local before = redis.call('HGETALL', KEYS[1])
if #before == 0 then return { 0, 0, 0 } end

local function isEnabledAdmin(key)
  local user = redis.call('HMGET', key, 'role', 'disabled')
  return user[1] == 'admin' and user[2] == '0'
end

if ARGV[1] == '1' and isEnabledAdmin(KEYS[1]) then
  local others = 0
  for i = 2, #KEYS do
    if KEYS[i] ~= KEYS[1] and isEnabledAdmin(KEYS[i]) then others = others + 1 end
  end
  if others == 0 then return { 0, 0, -1 } end
end

if #ARGV > 2 then redis.call('HSET', KEYS[1], unpack(ARGV, 3)) end
if ARGV[2] == '1' then redis.call('HINCRBY', KEYS[1], 'epoch', 1) end
return { 0, 0, 1, before, redis.call('HGETALL', KEYS[1]) }
