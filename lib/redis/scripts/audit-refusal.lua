--[[
  Counts the refusals per actor, action and minute, and stores the record of the first one until the minute is over.

  KEYS[1]  counted refusals, a hash
  ARGV[1]  the minute, actor and action
  ARGV[2]  the record of this refusal, with its MAC
  ARGV[3]  a digest of connection, target and reason, which may differ between refusals

  Output   { 0, 0, refusals in this minute, including this one }
]]
local held = redis.call('HGET', KEYS[1], ARGV[1])
local refusal = held and cjson.decode(held) or { record = ARGV[2], what = ARGV[3], varied = false, count = 0 }
refusal.count = refusal.count + 1
refusal.varied = refusal.varied or refusal.what ~= ARGV[3]
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(refusal))
return { 0, 0, refusal.count }
