--[[
  Releases a lease, if its owner still holds it.

  KEYS[1]  the lease
  ARGV[1]  the owner

  Output   { 0, 0, 1 } released; { 0, 0, 0 } it expired or another owner holds it
]]
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return { 0, 0, 0 } end
return { 0, 0, redis.call('DEL', KEYS[1]) }
