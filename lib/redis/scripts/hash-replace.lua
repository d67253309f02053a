--[[
  Sets fields of a hash, each only while it still holds the value that was read, so that concurrent repairs do not undo
  each other.

  KEYS[1]  the hash
  ARGV     three for each: the field, the value read ('': absent), the value to set

  Output   { 0, 0, n }  how many were set
]]
local set = 0
for i = 1, #ARGV, 3 do
  local present = redis.call('HGET', KEYS[1], ARGV[i]) or ''
  if present == ARGV[i + 1] then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
    set = set + 1
  end
end
return { 0, 0, set }
