--[[
  Type, length and digest of a collection, without its content leaving the server.

  KEYS[1]  the key

  Output   { hits, misses, type ('none' when missing), length or -1, digest or '' }
]]
-- @include "lookups"
-- @include "key-digest"
local kind, length, digest = stateOf(KEYS[1])
return { hits, misses(), kind, length, digest }
