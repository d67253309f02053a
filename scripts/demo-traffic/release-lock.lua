-- KEYS[1] the lock, ARGV[1] the owner's token. Deletes the lock only if this owner still holds it.
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
