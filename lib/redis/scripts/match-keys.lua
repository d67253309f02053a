--[[
  Some calls of a scan: the keys that match any of some patterns. The same part of the table is gone through for each
  pattern in turn, while it is still in the processor's cache.

  ARGV[1]    cursor and count of each call, all separated by spaces
  ARGV[2..]  patterns

  Output     { hits, misses, SCANs, next cursor, packed, … }, the last two for each call; packed is, for each key, >I4 its
             length and the key: one string is less work for whoever reads it than a thousand. A key that matches several
             patterns comes several times. Hits and misses are 0: SCAN counts as neither.
]]
-- What one SCAN meets is all in memory before it is looked at: a third quicker by a hundred than by a thousand.
local MOST = 100
local calls, heads, scans = {}, {}, 0
for cursor, count in string.gmatch(ARGV[1], '(%d+) (%d+)') do
  calls[#calls + 1] = { at = cursor, left = tonumber(count), packed = {}, size = 0 }
end

local function step(call)
  local packed, size = call.packed, call.size
  local next
  for p = 2, #ARGV do
    local page = redis.call('SCAN', call.at, 'MATCH', ARGV[p], 'COUNT', math.min(call.left, MOST))
    scans = scans + 1
    next = page[1]
    local keys = page[2]
    for k = 1, #keys do
      local key = keys[k]
      local length = #key
      local head = heads[length]
      if not head then
        head = struct.pack('>I4', length)
        heads[length] = head
      end
      packed[size + 1] = head
      packed[size + 2] = key
      size = size + 2
    end
  end
  call.size = size
  call.at = next
  call.left = next == '0' and 0 or call.left - MOST
end

-- Side by side, and not one call after another: they go through neighbouring parts of the table.
local going = true
while going do
  going = false
  for _, call in ipairs(calls) do
    if call.left > 0 then
      step(call)
      going = going or call.left > 0
    end
  end
end

local reply = { 0, 0, scans }
for _, call in ipairs(calls) do
  reply[#reply + 1] = call.at
  reply[#reply + 1] = table.concat(call.packed)
end
return reply
