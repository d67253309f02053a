--[[
  One page of a user's session index, without the tokens whose session exists.

  KEYS[1]  the index
  ARGV     cursor and count of the SSCAN; prefix of the user's session keys

  Output   { hits, misses, next cursor, entries examined, token… }. An index of another type has no entries.
]]
-- @include "lookups"
-- @include "unless-wrong-type"
local page = unlessWrongType('SSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
if not page then return { 1, misses(), '0', 0 } end
if #page[2] > 0 or page[1] ~= '0' then hits = 1 else countEmpty(KEYS[1]) end
local stale = {}
for _, token in ipairs(page[2]) do
  local session = ARGV[3] .. token
  if redis.call('EXISTS', session) == 1 then
    hits = hits + 1
  else
    miss(session, 1)
    stale[#stale + 1] = token
  end
end
return { hits, misses(), page[1], #page[2], unpack(stale) }
