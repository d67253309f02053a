--[[
  Defines digestOf(key, kind, most): the hex SHA-1 of the elements that a trim to `most` keeps, counted: the first of a
  list, the highest scores of a sorted set. lengthOf(key, kind) is its length, counted. Needs lookups.
]]
local READS = {
  list = function(key, most) return redis.call('LRANGE', key, 0, most - 1) end,
  zset = function(key, most) return redis.call('ZREVRANGE', key, 0, most - 1, 'WITHSCORES') end,
}
local function lengthOf(key, kind)
  hits = hits + 1
  return redis.call(kind == 'list' and 'LLEN' or 'ZCARD', key)
end
local function digestOf(key, kind, most)
  local elements = READS[kind](key, most)
  hits = hits + 1
  for i, element in ipairs(elements) do elements[i] = #element .. ':' .. element end
  return redis.sha1hex(table.concat(elements))
end
