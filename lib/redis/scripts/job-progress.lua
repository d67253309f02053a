--[[
  Saves the progress of a job that is not over, and says whether to go on. Only who claimed it calls this.

  KEYS[1]  the job (hash)
  ARGV[1]  done
  ARGV[2]  about to be done
  ARGV[3]  total; '' when it is not known

  Output   { 0, 0, 1 }   saved
           { 0, 0, 0 }   saved; its end was asked for
           { 0, 0, -1 }  not saved: it was ended by others, or is gone
]]
local state = redis.call('HMGET', KEYS[1], 'startedAt', 'finishedAt', 'cancel')
if not state[1] or state[2] then return { 0, 0, -1 } end
redis.call('HSET', KEYS[1], 'done', ARGV[1], 'pending', ARGV[2])
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'total', ARGV[3]) end
if state[3] then return { 0, 0, 0 } end
return { 0, 0, 1 }
