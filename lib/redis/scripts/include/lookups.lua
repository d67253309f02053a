--[[
  Defines hits and misses: what the script's own look-ups add to the server's counters.
  countEmpty(key) counts a look-up that found nothing in a key: only whether the key is there tells what the server
  counted, and that question counts as well. pttlOf(key) is PTTL, counted.
]]
local hits, misses = 0, 0
local function countEmpty(key)
  if redis.call('EXISTS', key) == 1 then hits = hits + 2 else misses = misses + 2 end
end
local function pttlOf(key)
  local pttl = redis.call('PTTL', key)
  if pttl == -2 then misses = misses + 1 else hits = hits + 1 end
  return pttl
end
