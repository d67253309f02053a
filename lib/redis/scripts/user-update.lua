--[[
  Changes a user of the console, whose fields come with their MAC, unless a record changed since it was read. The last
  enabled admin stays one: checked and changed in one step, so that two admins who demote each other at the same time
  do not both succeed.

  KEYS[1]  the user (hash)
  KEYS[2…] other enabled admins (hashes, ARGV[2] of them), then keys of API tokens that end with the change
  ARGV[1]  the user's MAC as it was read, '' for none
  ARGV[2]  number of admins; 0: the change removes no admin
  ARGV[3…] their MACs as they were read, then fields and values of the user

  Output   { 0, 0, 1 }  changed
           { 0, 0, 0 }  a record changed: read again
]]
local function macOf(key) return redis.call('HGET', key, 'mac') or '' end

local admins = tonumber(ARGV[2])
local left = admins == 0
for i = 1, admins do
  if macOf(KEYS[i + 1]) == ARGV[i + 2] then left = true end
end
if not left or macOf(KEYS[1]) ~= ARGV[1] or redis.call('EXISTS', KEYS[1]) == 0 then return { 0, 0, 0 } end

redis.call('HSET', KEYS[1], unpack(ARGV, admins + 3))
for i = admins + 2, #KEYS do redis.call('DEL', KEYS[i]) end
return { 0, 0, 1 }
