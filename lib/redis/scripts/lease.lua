--[[
  Takes or renews a lease.

  KEYS[1]  the lease
  ARGV[1]  the owner
  ARGV[2]  duration, ms

  Output   { 0, 0, 1 } held by this owner; { 0, 0, 0 } held by another
]]
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return { 0, 0, 0 } end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return { 0, 0, 1 }
