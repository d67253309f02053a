--[[
  Defines isOtherExpiry(expires, must): whether an expiry (epoch ms, -1 never) is not the one it must be: text, '' for any.
  Before Redis 7 a TTL is read a moment after the clock, so both may differ a little; beyond 2^53 Lua rounds them.
]]
local NEAR = 50
local function isOtherExpiry(expires, must)
  if must == '' then return false end
  if expires == -1 or must == '-1' then return tostring(expires) ~= must end
  return math.abs(expires - tonumber(must)) > math.max(NEAR, expires / 2 ^ 52)
end
