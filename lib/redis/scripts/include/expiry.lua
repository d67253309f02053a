--[[
  Defines expiryOf(key), counted: when it expires, epoch ms to the millisecond; -1 never, -2 it is gone. Needs lookups.
  PTTL and TIME differ by what the script has taken so far, but before Redis 7 there is nothing else.
]]
local function expiryOf(key)
  local at = redis.pcall('PEXPIRETIME', key)
  if type(at) ~= 'number' then
    at = redis.call('PTTL', key)
    local time = redis.call('TIME')
    if at >= 0 then at = at + time[1] * 1000 + math.floor(time[2] / 1000) end
  end
  if at == -2 then miss(key, 1) else hits = hits + 1 end
  return at
end
