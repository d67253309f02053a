--[[
  Some calls of a scan that delete what they meet, while it is still in the processor's cache: keys that fit a pattern,
  and that are surely meant. What fits and is not surely meant is left, and given to the caller to decide.

  ARGV[1]   cursor and count of each call, all separated by spaces
  ARGV[2]   pattern
  ARGV[3]   how many are deleted at most; what is beyond is given to the caller
  ARGV[4]   what a key's parameter must be: run, of nothing but ARGV[5]; pairs, name=value joined by colons
  ARGV[5]   a character class; of pairs that of the values
  ARGV[6]   bytes before the parameter
  ARGV[7]   bytes behind it
  ARGV[8]   its least length
  ARGV[9]   its greatest; -1 for any
  ARGV[10…] how keys end that are not surely meant

  Output    { hits, misses, SCANs and UNLINKs, deleted, memory in bytes of one of them (-1: none), next cursor, packed, … },
            the last two for each call; packed is, for each key left, >I4 its length and the key. Nothing counts as a hit
            or a miss. All keys are of a server without slots.
]]
-- What one SCAN meets is all in memory before it is looked at: a third quicker by a hundred than by a thousand.
local MOST_SCANNED = 100
-- A call of many keys is no quicker: it takes half as long again for each of a thousand.
local MOST_UNLINKED = 50
local NAME = '[A-Za-z0-9_.%-]'
local COLON = 58
-- Of longer pairs nothing is sure: a run of letters is tried from each of its places, and a key may be of megabytes.
local LONGEST_PAIRS = 512

local pattern, left, kind = ARGV[2], tonumber(ARGV[3]), ARGV[4]
local head, tail = tonumber(ARGV[6]), tonumber(ARGV[7])
local least, greatest = tonumber(ARGV[8]), tonumber(ARGV[9])
if greatest < 0 then greatest = math.huge end
local find, gsub, byte, sub = string.find, string.gsub, string.byte, string.sub
local run = '^' .. ARGV[5] .. '+'
local pair = NAME .. '+=' .. ARGV[5] .. '*:?'

local function endsOtherwise(key)
  for a = 10, #ARGV do
    local ending = ARGV[a]
    if byte(key, -1) == byte(ending, -1) and sub(key, -#ending) == ending then return false end
  end
  return true
end

local function surely(key)
  local last = #key - tail
  local length = last - head
  if length < least or length > greatest then return false end
  if kind == 'run' then
    local _, reached = find(key, run, head + 1)
    return reached ~= nil and reached >= last and endsOtherwise(key)
  end
  if length > LONGEST_PAIRS then return false end
  return byte(key, last) ~= COLON and gsub(sub(key, head + 1, last), pair, '') == '' and endsOtherwise(key)
end

local commands, deleted, memory = 0, 0, -1
local calls = {}
for cursor, count in string.gmatch(ARGV[1], '(%d+) (%d+)') do
  calls[#calls + 1] = { at = cursor, left = tonumber(count), packed = {} }
end

local function unlink(keys)
  if memory < 0 and #keys > 0 then memory = redis.call('MEMORY', 'USAGE', keys[1]) or -1 end
  for from = 1, #keys, MOST_UNLINKED do
    deleted = deleted + redis.call('UNLINK', unpack(keys, from, math.min(#keys, from + MOST_UNLINKED - 1)))
    commands = commands + 1
  end
  left = left - #keys
end

local function step(call)
  local page = redis.call('SCAN', call.at, 'MATCH', pattern, 'COUNT', math.min(call.left, MOST_SCANNED))
  commands = commands + 1
  local met, meant = page[2], {}
  for k = 1, #met do
    local key = met[k]
    if #meant < left and surely(key) then
      meant[#meant + 1] = key
    else
      call.packed[#call.packed + 1] = struct.pack('>I4', #key) .. key
    end
  end
  unlink(meant)
  call.at = page[1]
  call.left = page[1] == '0' and 0 or call.left - MOST_SCANNED
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

local reply = { 0, 0, commands, deleted, memory }
for _, call in ipairs(calls) do
  reply[#reply + 1] = call.at
  reply[#reply + 1] = table.concat(call.packed)
end
return reply
