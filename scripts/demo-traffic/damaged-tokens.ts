import { OAUTH_PROVIDERS } from '@/lib/keyspace/apps/discours-access';
import type { Batch } from './batch';
import type { User } from './people';
import { haunt, signIn } from './visitors';
import { key, type World } from './world';

const DAY = 86_400;
/** Too large for a token, so it is not parsed. */
const LARGE = 6000;

const access = (userId: string, provider: string): Buffer =>
  key('discours.oauth-access', { user_id: userId, provider });
const refresh = (userId: string, provider: string): Buffer =>
  key('discours.oauth-refresh', { user_id: userId, provider });

/** Keys that survived a restart of the application without a TTL, and keys that were always malformed. */
const seedWrongOnes = ({ random, ledger, people }: World, batch: Batch): void => {
  const somebody = () => random.pick(people).id;
  for (let i = 0; i < 9; i++)
    batch.add('SET', [refresh(somebody(), random.pick(OAUTH_PROVIDERS)), ledger.secret(56, '1//')]);
  for (const provider of ['vk', 'telegram'] as const) {
    const at = access(somebody(), provider);
    batch.add('DEL', [at]);
    batch.add('HSET', [at, 'token', ledger.secret(48)]);
  }
  batch.add('SET', [access(somebody(), 'yandex'), `{"token":"${'x'.repeat(LARGE)}"}`, 'EX', 3600]);
  for (const value of ['not finished', '{"created_at":"yesterday"}'])
    batch.add('SET', [key('discours.verification-token', { token: ledger.secret(43) }), value, 'EX', 900]);
  const state = key('discours.oauth-state', { state: ledger.secret(32) });
  batch.add('HSET', [state, 'csrf_token', ledger.secret(32)]);
};

/** Tokens near their end: the other seeded ones are as young as the demo. */
const seedOldOnes = ({ random, ledger, people, now }: World, batch: Batch): void => {
  for (let i = 0; i < 12; i++) {
    const { id } = random.pick(people);
    const provider = random.pick(OAUTH_PROVIDERS);
    const left = 120 + random.below(400);
    const token = ledger.secret(48, 'ya29.');
    const json = { token, provider, expires_in: 3600, user_id: id, created_at: now() - 3600 + left };
    batch.add('SET', [access(id, provider), JSON.stringify(json), 'EX', left]);
    if (i % 3 === 0)
      batch.add('SET', [refresh(id, provider), ledger.secret(56, '1//'), 'EX', 3600 + random.below(DAY / 2)]);
  }
};

/** A user with each kind of token and each damage of a session. */
const seedHardCase = (world: World, batch: Batch, user: User): void => {
  const { ledger, now } = world;
  const { id, username, slug, email } = user;
  const jwt = (age: number) => ledger.jwt(id, username, now() - age, now() - age + 30 * DAY);
  signIn(world, batch, { user, age: 3 * DAY });
  signIn(world, batch, { user, age: 9 * DAY, indexed: false });
  signIn(world, batch, { user, age: 40 * DAY, expires: false });
  haunt(world, batch, { user, token: jwt(5 * DAY) });
  batch.add('SADD', [key('discours.user-sessions', { user_id: id }), jwt(20 * DAY), jwt(28 * DAY)]);
  const legacy = ledger.secret(40);
  batch.add('SET', [key('discours.legacy-session', { user_id: id, username: slug, token: legacy }), legacy]);
  batch.add('SET', [access(id, 'google'), ledger.secret(48, 'ya29.'), 'EX', 2400]);
  batch.add('SET', [refresh(id, 'google'), ledger.secret(56, '1//'), 'EX', 12 * DAY]);
  batch.add('SET', [refresh(id, 'github'), ledger.secret(56, '1//')]);
  const hash = key('discours.verification', {
    user_id: id,
    type: 'email_change',
    token: ledger.secret(43),
  });
  const fields = ['user_id', id, 'token_type', 'verification', 'verification_type', 'email_change'];
  batch.add('HSET', [hash, ...fields, 'created_at', String(now() - 900), 'data', JSON.stringify({ email })]);
  batch.add('EXPIRE', [hash, 2700]);
  const written = { user_id: id, token_type: 'phone_change', created_at: now() - 120 };
  const at = key('discours.verification-token', { token: ledger.secret(43) });
  batch.add('SET', [at, JSON.stringify(written), 'EX', 480]);
};

/** Pending sign-ins that are strings: JSON, and a Python dictionary. */
const seedStateStrings = ({ ledger, now }: World, batch: Batch): void => {
  const flow = { redirect_uri: 'https://discours.example.org/oauth', csrf_token: ledger.secret(32) };
  const json = JSON.stringify({ ...flow, provider: 'vk', created_at: now() - 120 });
  for (const text of [json, json.replaceAll('"', "'")])
    batch.add('SET', [key('discours.oauth-state', { state: ledger.secret(32) }), text, 'EX', 480]);
};

/**
 * Tokens as found in practice: without TTL, unreadable, about to expire, of another form; and one user with all of
 * them.
 */
export const seedDamagedTokens = (world: World, batch: Batch): void => {
  seedWrongOnes(world, batch);
  seedOldOnes(world, batch);
  seedHardCase(world, batch, world.people[4]!);
  seedStateStrings(world, batch);
};
