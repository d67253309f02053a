--[[
  Sets fields of a hash that exists. A plain HSET would recreate a hash that was just deleted.

  KEYS[1]  the hash
  ARGV     fields and values

  Output   { 0, 0, 1 }  set
           { 0, 0, 0 }  the hash does not exist
]]
if redis.call('EXISTS', KEYS[1]) == 0 then return { 0, 0, 0 } end
redis.call('HSET', KEYS[1], unpack(ARGV))
return { 0, 0, 1 }
