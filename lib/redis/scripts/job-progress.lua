--[[
  Stores the progress of a running job and returns whether to continue. Called only by the process that claimed it.

  KEYS[1]  the job (hash)
  ARGV[1]  items done
  ARGV[2]  items in progress
  ARGV[3]  total; '' when it is not known
  ARGV[4]  how far replicas confirmed it, as JSON; '' when nothing was changed

  Output   { 0, 0, 1 }   stored
           { 0, 0, 0 }   stored; it is to be cancelled
           { 0, 0, -1 }  not stored: another process finished it, or it expired
]]
local state = redis.call('HMGET', KEYS[1], 'startedAt', 'finishedAt', 'cancel')
if not state[1] or state[2] then return { 0, 0, -1 } end
redis.call('HSET', KEYS[1], 'done', ARGV[1], 'pending', ARGV[2])
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'total', ARGV[3]) end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'fencing', ARGV[4]) end
if state[3] then return { 0, 0, 0 } end
return { 0, 0, 1 }
