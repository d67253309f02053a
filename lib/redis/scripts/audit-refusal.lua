--[[
  Counts a refusal of an actor, an action and a minute. The first one's record is kept until the minute is over.

  KEYS[1]  counted refusals, a hash
  ARGV[1]  the minute, actor and action
  ARGV[2]  the record of this refusal, with its MAC
  ARGV[3]  a digest of what is particular to it: connection, target and reason

  Output   { 0, 0, how many refusals there were in the minute, this one too }
]]
local held = redis.call('HGET', KEYS[1], ARGV[1])
local refusal = held and cjson.decode(held) or { record = ARGV[2], what = ARGV[3], varied = false, count = 0 }
refusal.count = refusal.count + 1
refusal.varied = refusal.varied or refusal.what ~= ARGV[3]
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(refusal))
return { 0, 0, refusal.count }
