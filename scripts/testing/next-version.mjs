// Makes a process that it is loaded into (`NODE_OPTIONS=--import …`) a later version of the console, whose store has
// another schema: each user gets a field, which takes two seconds.
const addField = {
  to: 2,
  what: 'users get a colour',
  migrate: async (store) => {
    await store.use(async (redis) => {
      for (const id of await redis.smembers('keyward:users'))
        await redis.hsetnx(`keyward:test-colour:${id}`, 'colour', 'blue');
      await redis.incr('keyward:test-migrated');
    });
    await new Promise((done) => setTimeout(done, 2000));
  },
};
const first = { to: 1, what: 'the store gets a version', migrate: async () => undefined };

globalThis.keyward ??= new Map();
globalThis.keyward.set('version', '0.2.0');
globalThis.keyward.set('migrations', [first, addField]);
