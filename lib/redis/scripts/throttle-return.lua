--[[
  Refunds a successful attempt (see throttle-take).

  KEYS     the buckets
  ARGV[i]  free attempts of bucket i; '-1': clear all of its failures

  Output   { 0, 0 }
]]
for i, key in ipairs(KEYS) do
  local free = tonumber(ARGV[i])
  local failures = tonumber(redis.call('HGET', key, 'failures') or '0') - 1
  if free < 0 or failures <= 0 then
    redis.call('DEL', key)
  else
    redis.call('HSET', key, 'failures', failures)
    if failures <= free then redis.call('HSET', key, 'until', '0') end
  end
end
return { 0, 0 }
