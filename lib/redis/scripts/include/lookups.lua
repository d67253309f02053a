--[[
  Counts what the script's own lookups add to the server's counters; hits and misses() are the first two results of
  every script that runs on a user's Redis. misses() is { misses without a named key, then key and times, … }: beyond
  MAX_NAMED keys they are only counted.
  miss(key, times) counts lookups of a missing key.
  countEmpty(key) counts a lookup that found nothing in a key: an EXISTS decides whether the server counted a hit or a
  miss, and that EXISTS counts as well. pttlOf(key) is PTTL, and typeOf(key) TYPE, counted; nil where the key is
  elsewhere.
]]
-- @include "elsewhere"
local MAX_NAMED = 2000
local hits, unnamed, named, missed = 0, 0, 0, {}
local function miss(key, times)
  if not missed[key] then
    if named == MAX_NAMED then
      unnamed = unnamed + times
      return
    end
    named = named + 1
  end
  missed[key] = (missed[key] or 0) + times
end
local function misses()
  local out = { unnamed }
  for key, times in pairs(missed) do
    out[#out + 1] = key
    out[#out + 1] = times
  end
  return out
end
local function countEmpty(key)
  if redis.call('EXISTS', key) == 1 then hits = hits + 2 else miss(key, 2) end
end
local function pttlOf(key)
  local pttl = redis.pcall('PTTL', key)
  if isElsewhere(pttl) then return nil end
  if pttl == -2 then miss(key, 1) else hits = hits + 1 end
  return pttl
end
local function typeOf(key)
  local reply = redis.pcall('TYPE', key)
  local kind = reply.ok
  if not kind and isElsewhere(reply) then return nil end
  if kind == 'none' then miss(key, 1) else hits = hits + 1 end
  return kind
end
