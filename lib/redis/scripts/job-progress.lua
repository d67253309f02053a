--[[
  Notes the progress of a job that is still its process's own, and says whether to go on.

  KEYS[1]  the job (hash)
  ARGV[1]  the process
  ARGV[2]  done
  ARGV[3]  about to be done
  ARGV[4]  total; '' when it is not known

  Output   { 0, 0, 1 }   noted
           { 0, 0, 0 }   noted; its end was asked for
           { 0, 0, -1 }  not noted: it was ended by others, or is gone
]]
local state = redis.call('HMGET', KEYS[1], 'owner', 'finishedAt', 'cancel')
if state[1] ~= ARGV[1] or state[2] then return { 0, 0, -1 } end
redis.call('HSET', KEYS[1], 'done', ARGV[2], 'pending', ARGV[3])
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'total', ARGV[4]) end
if state[3] then return { 0, 0, 0 } end
return { 0, 0, 1 }
