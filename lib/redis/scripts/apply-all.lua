--[[
  Applies edits of several keys, all or none: each only while its key is as it was read.

  KEYS[i]  the key of edit i
  ARGV     six for each edit:
           the type expected ('none': absent), the length expected, the value expected or its beginning,
           'keep', 'set', 'delete' or 'rename', then for 'set' the value, for 'rename' the number of the edit
           whose key is renamed to this one, and for 'set' the TTL in ms ('': unchanged, 'none': no TTL)

  Output   { hits, misses, 1 }               all applied
           { hits, misses, 0, i, type }      edit i does not match; the type of its key ('none': missing)
]]
-- @include "lookups"

for i, key in ipairs(KEYS) do
  local at = (i - 1) * 6
  local expected, length, head = ARGV[at + 1], tonumber(ARGV[at + 2]), ARGV[at + 3]
  local kind = typeOf(key)
  local fits = kind == expected
  if fits and kind == 'string' then
    hits = hits + 1
    fits = redis.call('STRLEN', key) == length
    if fits and #head > 0 then
      hits = hits + 1
      fits = redis.call('GETRANGE', key, 0, #head - 1) == head
    end
  end
  if not fits then return { hits, misses(), 0, i, kind } end
end

for i, key in ipairs(KEYS) do
  local at = (i - 1) * 6
  local what, value, ttl = ARGV[at + 4], ARGV[at + 5], ARGV[at + 6]
  if what == 'delete' then
    redis.call('UNLINK', key)
  elseif what == 'rename' then
    redis.call('RENAME', KEYS[tonumber(value)], key)
  elseif what == 'set' then
    redis.call('SET', key, value, 'KEEPTTL')
    if ttl == 'none' then
      redis.call('PERSIST', key)
    elseif ttl ~= '' then
      redis.call('PEXPIRE', key, ttl)
    end
  end
end
return { hits, misses(), 1 }
