--[[
  Gives a lease back, if it is still one's own.

  KEYS[1]  the lease
  ARGV[1]  who holds it

  Output   { 0, 0, 1 } given back; { 0, 0, 0 } it was another's or gone
]]
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return { 0, 0, 0 } end
return { 0, 0, redis.call('DEL', KEYS[1]) }
