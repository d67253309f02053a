import type { Batch } from './batch';
import { haunt, signIn } from './visitors';
import { key, type World } from './world';

const DAY = 86_400;

/** Some of the damage that real applications leave. */
export const seedDamage = (world: World, batch: Batch): void => {
  const { random, ledger } = world;
  const times = (count: number, act: () => void) => {
    for (let i = 0; i < count; i++) act();
  };
  times(25, () => {
    const user = random.pick(world.people);
    const issued = world.now() - random.below(20 * DAY);
    haunt(world, batch, { user, token: ledger.jwt(user.id, user.username, issued, issued + 30 * DAY) });
  });
  times(40, () => signIn(world, batch, { age: random.below(20 * DAY), indexed: false }));
  times(30, () => signIn(world, batch, { age: random.below(60 * DAY), expires: false }));
  times(60, () => {
    const { id, username } = random.pick(world.people);
    const issued = world.now() - 29 * DAY;
    batch.add('SADD', [
      key('discours.user-sessions', { user_id: id }),
      ledger.jwt(id, username, issued, issued + 30 * DAY),
    ]);
  });
  times(20, () => {
    const { id, slug } = random.pick(world.people);
    const issued = world.now() - random.below(300 * DAY);
    const token = random.chance(0.5) ? ledger.secret(40) : ledger.jwt(id, slug, issued, issued + 365 * DAY);
    const at = key('discours.legacy-session', { user_id: id, username: slug, token });
    batch.add('SET', random.chance(0.5) ? [at, token] : [at, token, 'EX', 10 * DAY]);
  });
  times(8, () => {
    const params = `author=${1 + random.below(300)}:limit=50:sort=rating`;
    batch.add('SET', [key('discours.shouts', { params }), '[]']);
  });
  // Health checks also sign in.
  const token = ledger.jwt('healthcheck', 'healthcheck', world.now() - 60, world.now() + 30 * DAY);
  const session = Buffer.from(`session:healthcheck:${token}`);
  batch.add('HSET', [session, 'user_id', 'healthcheck', 'created_at', String(world.now() - 60)]);
  batch.add('EXPIRE', [session, 30 * DAY]);
  batch.add('SADD', [Buffer.from('user_sessions:healthcheck'), token]);
  // Keys outside all families: not UTF-8, not a session, unknown.
  batch.add('SET', [Buffer.from('legacy_cache:\xff\xfe\x00\x81', 'latin1'), Buffer.from([0, 159, 146, 150])]);
  batch.add('SET', [Buffer.from(`session:guest:${ledger.secret(24)}`), 'never finished']);
  batch.add('SET', [Buffer.from('tmp_export_2024'), 'x'.repeat(5000)]);
};
