--[[
  Begins a job: once, and not when it ended or its end was asked for before it began.

  KEYS[1]  the job (hash)
  ARGV[1]  now, epoch ms

  Output   { 0, 0, 1 }  begun
           { 0, 0, 0 }  it is gone, begun already, over or to be cancelled
]]
local state = redis.call('HMGET', KEYS[1], 'state', 'startedAt', 'finishedAt', 'cancel')
if not state[1] or state[2] or state[3] or state[4] then return { 0, 0, 0 } end
redis.call('HSET', KEYS[1], 'state', 'running', 'startedAt', ARGV[1])
return { 0, 0, 1 }
