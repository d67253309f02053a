--[[
  Defines isTooLong(reply, most): whether the texts of a reply of redis.call are longer than that together, in bytes.
]]
local bytesOf
bytesOf = function(reply, most)
  if type(reply) == 'string' then return #reply end
  local sum = 0
  for i = 1, type(reply) == 'table' and #reply or 0 do
    sum = sum + bytesOf(reply[i], most)
    if sum > most then break end
  end
  return sum
end
local function isTooLong(reply, most) return bytesOf(reply, most) > most end
