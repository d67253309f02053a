import type { Batch } from '../batch';
import type { Account } from './video-model';
import { key, type SocialWorld } from './world';

const HOUR = 3600;
/** The application has a single TTL. */
export const TTL_SECONDS = 5 * HOUR;

const CHINA_MS = 8 * HOUR * 1000;

/** A time in Go's format, in China's time zone. */
export const goTime = (at: number): string => {
  const nanoseconds = String((at * 7919) % 1_000_000).padStart(6, '0');
  return `${new Date(at + CHINA_MS).toISOString().slice(0, -1)}${nanoseconds}+08:00`;
};

/** Seeded keys are up to two hours old; later ones are new. */
export const expire = (world: SocialWorld, batch: Batch, at: Buffer, isNew = true): void =>
  batch.add('EXPIRE', [at, isNew ? TTL_SECONDS : TTL_SECONDS - world.random.below(2 * HOUR)]);

export const tokenKey = ({ username, password }: Account): Buffer =>
  // A user name with the separator of other families is outside the catalog's grammar.
  username.includes('_')
    ? Buffer.from(username + password)
    : key('minidouyin.user-token', { token: username + password });

const rowOf = ({ id, username, nickname, password, ...sets }: Account): string[] =>
  Object.entries({
    ID: id,
    Username: username,
    Nickname: nickname,
    Passwd: password,
    FollowCount: sets.follows.size,
    FollowerCount: sets.followers.size,
    WorkCount: sets.works.size,
    FavoriteCount: sets.likes.size,
    Token: username + password,
    Avatar: `https://cdn.example.org/avatar/${id}.png`,
    BackgroundImage: 'https://cdn.example.org/background/1.png',
    Signature: id % 5 === 0 ? '谢谢关注 <3' : '',
    TotalFavorited: sets.works.size * 3,
    Deleted: 0,
  }).flatMap(([name, value]) => [name, String(value)]);

/** Follows of these are also stored in the documented form, under their token. */
const FOLLOWS_BY_TOKEN = [41, 42];

/** The row, under its id and under its token. */
export const writeAccount = (world: SocialWorld, batch: Batch, account: Account, isNew = true): void => {
  for (const at of [key('minidouyin.user', { id: account.id }), tokenKey(account)]) {
    batch.add('HSET', [at, ...rowOf(account)]);
    expire(world, batch, at, isNew);
  }
};

export const writeFollows = (world: SocialWorld, batch: Batch, account: Account, isNew = true): void => {
  for (const side of ['follows', 'followers'] as const) {
    const members = [...account[side]];
    if (members.length === 0) continue;
    const at = key(`minidouyin.${side}`, { user_id: account.id });
    batch.add('SADD', [at, ...members]);
    expire(world, batch, at, isNew);
  }
};

const scored = (ids: Iterable<number>): number[] => [...ids].flatMap((id) => [id, id]);

export const writeFollowsByToken = (world: SocialWorld, batch: Batch): void => {
  for (const id of FOLLOWS_BY_TOKEN) {
    const { username, password, follows } = world.video.accounts.get(id)!;
    const at = key('minidouyin.follows-token', { token: username + password });
    batch.add('SADD', [at, ...follows]);
    expire(world, batch, at, false);
  }
};

/** Friends, likes and published videos. The last have no TTL: the application's EXPIRE goes to the bare id. */
export const writeLists = (world: SocialWorld, batch: Batch, account: Account, isNew = true): void => {
  const { id, friends, likes, works } = account;
  if (friends.size > 0) {
    const at = key('minidouyin.friendlist', { id });
    batch.add('ZADD', [at, ...scored(friends)]);
    expire(world, batch, at, isNew);
  }
  if (likes.size > 0) {
    const at = key('minidouyin.user-like', { user_id: id });
    batch.add('ZADD', [at, ...scored(likes)]);
    expire(world, batch, at, isNew);
  }
  if (works.size > 0) batch.add('SADD', [key('minidouyin.publish', { user_id: id }), ...works]);
};
