--[[
  The error collector's rate limit: one event of one project, atomically.

  KEYS[1]  rate_limits, a hash: project id -> "timestamp:count"
  ARGV[1]  project id
  ARGV[2]  now, Unix seconds
  ARGV[3]  EventsLimit, events per window; 0 is unlimited
  ARGV[4]  EventsPeriod, seconds

  Output   1 accepted, 0 over the limit, -1 unreadable (the collector's own script breaks on it); where it is not
           accepted nothing is changed. Numbers are written as Lua writes them, as the collector does.
]]
local project = ARGV[1]
local now = tonumber(ARGV[2])
local limit = tonumber(ARGV[3])
local period = tonumber(ARGV[4])

if limit == 0 then
  return 1
end

local record = redis.call('HGET', KEYS[1], project)
if not record then
  redis.call('HSET', KEYS[1], project, now .. ':1')
  return 1
end

local timestamp, count = string.match(record, '(%d+):(%d+)')
if not timestamp then
  return -1
end
local start, events = tonumber(timestamp), tonumber(count)
if now - start >= period then
  redis.call('HSET', KEYS[1], project, now .. ':1')
  return 1
end
if events + 1 > limit then
  return 0
end
redis.call('HSET', KEYS[1], project, start .. ':' .. (events + 1))
return 1
