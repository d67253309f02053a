--[[
  Writes the MACs of records of an earlier version, all in one step, and a mark that this was done.

  KEYS[1]  the mark (string)
  KEYS[2…] the records (hashes)
  ARGV[1]  the value of the mark
  ARGV[2]  '1': even if it was done before
  ARGV[3…] the MAC of each record

  Output   { 0, 0, 1 }  done
           { 0, 0, 0 }  it had been done before
]]
if ARGV[2] ~= '1' and redis.call('EXISTS', KEYS[1]) == 1 then return { 0, 0, 0 } end
redis.call('SET', KEYS[1], ARGV[1])
for i = 2, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 then redis.call('HSET', KEYS[i], 'mac', ARGV[i + 1]) end
end
return { 0, 0, 1 }
