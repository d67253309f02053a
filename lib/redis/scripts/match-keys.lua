--[[
  One call of a scan: returns the keys that match any of several patterns. Each part of the table is scanned for every
  pattern before the next part, while it is still in the processor's cache.

  ARGV[1]    cursor
  ARGV[2]    count
  ARGV[3..]  patterns

  Output     { hits, misses, SCANs, next cursor, packed }; packed is, for each key, >I4 its length and the key: one string
             costs the client less than a thousand. A key that matches several patterns is returned several times.
             Hits and misses are 0: SCAN counts as neither.
]]
-- Measured with two patterns in a million keys: 719 ms of server time in chunks of 100, 941 ms in chunks of 1000, and
-- 1124 ms without this script, with pipelined SCANs of 1000.
local MAX_COUNT = 100
local at, left = ARGV[1], tonumber(ARGV[2])
local packed, scans = {}, 0

-- If a resized table ends the patterns' SCANs at different cursors, they are repeated.
local function step(count)
  local found, next = {}, nil
  for p = 3, #ARGV do
    local page = redis.call('SCAN', at, 'MATCH', ARGV[p], 'COUNT', count)
    scans = scans + 1
    if next and next ~= page[1] then return step(count) end
    next = page[1]
    for _, key in ipairs(page[2]) do found[#found + 1] = key end
  end
  for _, key in ipairs(found) do packed[#packed + 1] = struct.pack('>I4', #key) .. key end
  at = next
end

repeat
  step(math.min(left, MAX_COUNT))
  left = left - MAX_COUNT
until at == '0' or left <= 0

return { 0, 0, scans, at, table.concat(packed) }
