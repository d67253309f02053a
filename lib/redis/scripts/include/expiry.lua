--[[
  Defines expiryOf(key), counted: its expiry, epoch ms; -1 never, -2 missing, nil where the key is elsewhere. Needs
  lookups.
  PTTL and TIME differ by the script's run time so far, but before Redis 7 there is no PEXPIRETIME.
  Lua rounds integers beyond 2^53: to no more than MAX_EXPIRY, because Redis refuses 2^63. lib/redis/expiry.ts reads such
  an expiry exactly.
]]
local MAX_EXPIRY = 2 ^ 63 - 1024
local function expiryOf(key)
  local at = redis.pcall('PEXPIRETIME', key)
  if type(at) ~= 'number' then
    at = redis.pcall('PTTL', key)
    if isElsewhere(at) then return nil end
    local time = redis.call('TIME')
    if at >= 0 then at = at + time[1] * 1000 + math.floor(time[2] / 1000) end
  end
  if at == -2 then miss(key, 1) else hits = hits + 1 end
  return math.min(at, MAX_EXPIRY)
end
