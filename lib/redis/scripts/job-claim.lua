--[[
  Claims a job, once. A job that ended or was cancelled before it began cannot be claimed.

  KEYS[1]  the job (hash)
  ARGV[1]  now, epoch ms

  Output   { 0, 0, 1 }  claimed
           { 0, 0, 0 }  it expired, was claimed already, ended, or is to be cancelled
]]
local state = redis.call('HMGET', KEYS[1], 'state', 'startedAt', 'finishedAt', 'cancel')
if not state[1] or state[2] or state[3] or state[4] then return { 0, 0, 0 } end
redis.call('HSET', KEYS[1], 'state', 'running', 'startedAt', ARGV[1])
return { 0, 0, 1 }
