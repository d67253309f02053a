--[[
  One chunk of a scan with several patterns at once: the same part of the table is gone through for each.

  ARGV[1]   cursor
  ARGV[2]   ignored (the pattern of other scans)
  ARGV[3]   count
  ARGV[4..] patterns

  Output    { 0 hits, 0 misses, next cursor, key… }; a key that fits two patterns comes twice
]]
local reply = { 0, 0, ARGV[1] }
for p = 4, #ARGV do
  local page = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[p], 'COUNT', ARGV[3])
  reply[3] = page[1]
  for _, key in ipairs(page[2]) do reply[#reply + 1] = key end
end
return reply
