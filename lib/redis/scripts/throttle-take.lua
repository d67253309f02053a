--[[
  Takes one attempt from each bucket, or none when any of them has to wait. An attempt counts as failed until it is
  refunded on success, so that a hundred concurrent attempts cannot all pass before the first has failed.

  A bucket (hash): `failures`, `until` (epoch ms before which no attempt is accepted), `at` (the last attempt),
  `tries` (all attempts since the bucket began). Beyond the free attempts the wait is 1, 2, 4 … s up to the maximum.
  One failure is removed for each full decay period that passes after the wait without an attempt; the bucket
  expires after its idle time.

  KEYS     the buckets
  ARGV[1]  now, epoch ms
  ARGV[2]  decay period, ms
  ARGV[3]  idle time after which a bucket expires, ms
  ARGV[4…] per bucket: free attempts; maximum wait, ms; newcomers: this bucket does not delay a caller whose first
           bucket has fewer tries than that, or none for an hour

  Output   { 0, 0, wait }  the wait in ms; 0: the attempt was taken
]]
local now, forgets, idle = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local HOUR = 3600000
local buckets, wait, tries, away = {}, 0, 0, 0

for i, key in ipairs(KEYS) do
  local held = redis.call('HMGET', key, 'failures', 'until', 'at', 'tries')
  local failures, closed, at = tonumber(held[1]) or 0, tonumber(held[2]) or 0, tonumber(held[3]) or now
  failures = math.max(0, failures - math.floor(math.max(0, now - math.max(closed, at)) / forgets))
  if i == 1 then tries, away = tonumber(held[4]) or 0, now - at end
  local newcomers = tonumber(ARGV[3 * i + 3])
  if newcomers == 0 or (tries >= newcomers and away < HOUR) then wait = math.max(wait, closed - now) end
  buckets[i] = failures
end
if wait > 0 then return { 0, 0, wait } end

for i, key in ipairs(KEYS) do
  local failures, free, longest = buckets[i] + 1, tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2])
  local closed = 0
  if failures > free then closed = now + math.min(longest, 1000 * 2 ^ math.min(failures - free - 1, 20)) end
  redis.call('HSET', key, 'failures', failures, 'until', string.format('%.0f', closed), 'at', ARGV[1])
  redis.call('HINCRBY', key, 'tries', 1)
  redis.call('PEXPIRE', key, idle)
end
return { 0, 0, 0 }
