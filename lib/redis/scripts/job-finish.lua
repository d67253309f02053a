--[[
  Finishes a job, once.

  KEYS[1]  the job (hash)
  ARGV[1]  '1': only if it was not claimed
  ARGV[2…] fields and values, `state` and `finishedAt` among them

  Output   { 0, 0, 1 }  finished
           { 0, 0, 0 }  it expired, had finished already, or was claimed
]]
local state = redis.call('HMGET', KEYS[1], 'state', 'startedAt', 'finishedAt')
if not state[1] or state[3] or (ARGV[1] == '1' and state[2]) then return { 0, 0, 0 } end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
return { 0, 0, 1 }
