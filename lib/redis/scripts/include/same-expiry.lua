--[[
  Defines isOtherExpiry(expires, must): whether an expiry (epoch ms, -1 never) is not the one it must be: text, '' for any.
  Before Redis 7 a TTL is read a moment after the clock, so both may differ a little.
]]
local NEAR = 50
local function isOtherExpiry(expires, must)
  if must == '' then return false end
  if expires == -1 or must == '-1' then return tostring(expires) ~= must end
  return math.abs(expires - tonumber(must)) > NEAR
end
