--[[
  Stores states of alert rules together with the alerts that fired or resolved, all or nothing: only while each field
  still holds what was read. Two processes that evaluate the same moment therefore fire one alert.

  KEYS[1]  states, a hash by rule
  KEYS[2]  alerts, a hash by id
  KEYS[3]  alerts by the time they fired, a sorted set
  KEYS[4]  alerts with unfinished deliveries by the time of the next attempt, a sorted set
  ARGV[1]  how many states follow
  ARGV     three for each state: the rule, the value read ('': absent), the value to set ('': delete); then five for each
           alert: the id, the value read ('': absent), the value to set, when it fired, the next attempt ('': none)

  Output   { 0, 0, 1 } stored; { 0, 0, 0 } something changed meanwhile
]]
local states = 1 + 3 * tonumber(ARGV[1])
local function holds(key, field, value)
  return (redis.call('HGET', key, field) or '') == value
end
for i = 2, states, 3 do
  if not holds(KEYS[1], ARGV[i], ARGV[i + 1]) then return { 0, 0, 0 } end
end
for i = states + 1, #ARGV, 5 do
  if not holds(KEYS[2], ARGV[i], ARGV[i + 1]) then return { 0, 0, 0 } end
end
for i = 2, states, 3 do
  if ARGV[i + 2] == '' then
    redis.call('HDEL', KEYS[1], ARGV[i])
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
  end
end
for i = states + 1, #ARGV, 5 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2])
  redis.call('ZADD', KEYS[3], ARGV[i + 3], ARGV[i])
  if ARGV[i + 4] == '' then
    redis.call('ZREM', KEYS[4], ARGV[i])
  else
    redis.call('ZADD', KEYS[4], ARGV[i + 4], ARGV[i])
  end
end
return { 0, 0, 1 }
