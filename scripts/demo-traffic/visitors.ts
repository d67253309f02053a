import type { Batch } from './batch';
import { deviceOf, type User } from './people';
import { key, OAUTH_PROVIDERS, type Session, VERIFICATION_TYPES, type World } from './world';

const MONTH = 2_592_000;
const MAX_SESSIONS = 2200;
const MAX_GHOSTS = 40;

const sessionKey = ({ user, token }: Session): Buffer => key('discours.session', { user_id: user.id, token });
const indexKey = (user: User): Buffer => key('discours.user-sessions', { user_id: user.id });

interface SignInOptions {
  /** Seconds ago. */
  age?: number;
  indexed?: boolean;
  expires?: boolean;
  /** A random user by default. */
  user?: User;
}

/** Most users sign in equally often; a few have dozens of sessions. */
const somebody = ({ random, people }: World): User =>
  random.chance(0.2) ? people[random.popular(people.length)]! : random.pick(people);

/** A sign-in of the publishing platform: hash, expiry, index set. The first request sets `last_activity`. */
export const signIn = (world: World, batch: Batch, options: SignInOptions = {}): Session => {
  const { random, ledger } = world;
  const { age = 0, indexed = true, expires = true } = options;
  const user = options.user ?? somebody(world);
  const createdAt = world.now() - age;
  const token = ledger.jwt(user.id, user.username, createdAt, createdAt + MONTH);
  const session = { user, token };
  const fields = [
    'user_id',
    user.id,
    'username',
    user.username,
    'token_type',
    'session',
    'created_at',
    String(createdAt),
  ];
  if (age > 60 && random.chance(0.9)) fields.push('last_activity', String(createdAt + random.below(age)));
  if (random.chance(0.3))
    fields.push('auth_data', JSON.stringify({ provider: 'password', device_key: ledger.secret(24) }));
  const device = deviceOf(random);
  if (device) fields.push('device_info', device);
  batch.add('HSET', [sessionKey(session), ...fields]);
  if (expires) batch.add('EXPIRE', [sessionKey(session), Math.max(60, MONTH - age)]);
  if (indexed) {
    batch.add('SADD', [indexKey(user), token]);
    batch.add('EXPIRE', [indexKey(user), MONTH]);
  }
  return session;
};

export const arrive = (world: World, batch: Batch): void => {
  world.sessions.push(signIn(world, batch));
  if (world.sessions.length > MAX_SESSIONS) leave(world, batch, 0);
};

/** A sign-out; sometimes a late request touches the session again and leaves a ghost without expiry. */
export const leave = (
  world: World,
  batch: Batch,
  which = world.random.below(world.sessions.length),
): void => {
  const [session] = world.sessions.splice(which, 1);
  if (!session) return;
  batch.add('DEL', [sessionKey(session)]);
  batch.add('SREM', [indexKey(session.user), session.token]);
  if (!world.random.chance(0.03)) return;
  haunt(world, batch, session);
};

export const haunt = (world: World, batch: Batch, session: Session): void => {
  batch.add('HSET', [sessionKey(session), 'last_activity', String(world.now())]);
  world.ghosts.push(session);
  const oldest = world.ghosts.length > MAX_GHOSTS ? world.ghosts.shift() : undefined;
  if (oldest) batch.add('DEL', [sessionKey(oldest)]);
};

/** A request: looks the session up and, if it exists, updates its activity. */
export const browse = (world: World, batch: Batch): void => {
  const session = world.sessions[world.random.below(world.sessions.length)];
  if (!session) return;
  batch.add('HGET', [sessionKey(session), 'user_id'], (userId) => {
    // Revoked meanwhile, possibly through the console: the visitor must sign in again.
    if (userId === null) world.sessions = world.sessions.filter((other) => other !== session);
    else batch.add('HSET', [sessionKey(session), 'last_activity', String(world.now())]);
  });
};

export const oauth = (world: World, batch: Batch): void => {
  const { random, ledger } = world;
  const user = random.pick(world.people);
  const provider = random.pick(OAUTH_PROVIDERS);
  const who = { user_id: user.id, provider };
  const access = ledger.secret(48, 'ya29.');
  const json = {
    token: access,
    provider,
    expires_in: 3600,
    user_id: user.id,
    token_type: 'access',
    created_at: world.now(),
  };
  batch.add('SET', [
    key('discours.oauth-access', who),
    random.chance(0.5) ? access : JSON.stringify(json),
    'EX',
    3600,
  ]);
  if (random.chance(0.6))
    batch.add('SET', [key('discours.oauth-refresh', who), ledger.secret(56, '1//'), 'EX', MONTH]);
};

export const oauthState = (world: World, batch: Batch): void => {
  const { random, ledger } = world;
  const state = key('discours.oauth-state', { state: ledger.secret(32) });
  const provider = random.pick(OAUTH_PROVIDERS);
  const fields = ['redirect_uri', 'https://discours.example.org/oauth', 'csrf_token', ledger.secret(32)];
  batch.add('HSET', [state, ...fields, 'provider', provider, 'created_at', String(world.now())]);
  batch.add('EXPIRE', [state, 600]);
};

export const verify = (world: World, batch: Batch): void => {
  const { random, ledger } = world;
  const { id, email } = random.pick(world.people);
  const type = random.pick(VERIFICATION_TYPES);
  const token = ledger.secret(43);
  const hash = key('discours.verification', { user_id: id, type, token });
  const fields = ['user_id', id, 'token_type', 'verification', 'verification_type', type];
  batch.add('HSET', [hash, ...fields, 'created_at', String(world.now()), 'data', JSON.stringify({ email })]);
  batch.add('EXPIRE', [hash, 3600]);
  if (!random.chance(0.3)) return;
  const written = key('discours.verification-token', { token: ledger.secret(43) });
  batch.add('SET', [
    written,
    JSON.stringify({ user_id: id, token_type: type, created_at: world.now() }),
    'EX',
    1800,
  ]);
};
