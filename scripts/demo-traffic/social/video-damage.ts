import type { Batch } from '../batch';
import { TTL_SECONDS, tokenKey } from './accounts';
import { isDocumented, messageKey } from './chats';
import { ACCOUNTS, between, STRING_OF_OTHERS, VIDEOS } from './damage';
import type { Account, VideoWorld } from './video-model';
import { key, type SocialWorld } from './world';

const GONE_MESSAGES = 10;

/** Relations of damaged accounts, before anything is written. Each uses the next regular accounts. */
export const relateDamaged = ({ accounts }: VideoWorld): void => {
  let next = 100;
  const regular = (): Account => accounts.get(101 + (next++ % 150))!;
  const follow = (from: Account, to: Account) => {
    from.follows.add(to.id);
    to.followers.add(from.id);
  };
  const followedBy = (id: number, count: number): Account[] =>
    Array.from({ length: count }, () => {
      const follower = regular();
      follow(follower, accounts.get(id)!);
      return follower;
    });
  for (const id of between(ACCOUNTS.expired)) {
    followedBy(id, 5);
    follow(accounts.get(id)!, regular());
    for (const friend of [regular(), regular()]) friend.friends.add(id);
  }
  for (const id of between(ACCOUNTS.followersExpired)) followedBy(id, 4);
  for (const id of between(ACCOUNTS.oneSided)) {
    const [, lacking] = followedBy(id, 2);
    accounts.get(id)!.followers.delete(lacking!.id);
  }
  for (const id of between(ACCOUNTS.partialFollows))
    for (let i = 0; i < 5; i++) follow(accounts.get(id)!, regular());
  const self = accounts.get(ACCOUNTS.namesItself)!;
  follow(self, self);
};

/** Accounts with stored keys. */
export const isStored = ({ id }: Account): boolean =>
  id < ACCOUNTS.expired.first || id > ACCOUNTS.expired.last;

/** Leaves a set or sorted set in the state after it expired and one change created it again. */
const recreate = (batch: Batch, command: 'SADD' | 'ZADD', at: Buffer, member: number): void => {
  batch.add('DEL', [at]);
  batch.add(command, command === 'ZADD' ? [at, member, member] : [at, member]);
  batch.add('EXPIRE', [at, TTL_SECONDS]);
};

const expireInPart = (batch: Batch, { accounts, videos }: VideoWorld): void => {
  for (const id of between(ACCOUNTS.followersExpired))
    batch.add('DEL', [key('minidouyin.followers', { user_id: id })]);
  for (const id of between(ACCOUNTS.partialFollows)) {
    const [first] = accounts.get(id)!.follows;
    recreate(batch, 'SADD', key('minidouyin.follows', { user_id: id }), first!);
  }
  for (const id of between(ACCOUNTS.partialLikes)) {
    const [first] = accounts.get(id)!.likes;
    recreate(batch, 'ZADD', key('minidouyin.user-like', { user_id: id }), first!);
  }
  for (const id of between(VIDEOS.partialComments)) {
    const last = [...videos.get(id)!.comments].at(-1)!;
    recreate(batch, 'ZADD', key('minidouyin.video-comment', { video_id: id }), last);
  }
};

/** Damages the written keys. The numbers are those of `DAMAGE`. */
export const damageVideos = (world: SocialWorld, batch: Batch): void => {
  const { accounts, messages } = world.video;
  const follows = (id: number) => key('minidouyin.follows', { user_id: id });
  expireInPart(batch, world.video);
  // Never expires, unlike its owner.
  const expired = ACCOUNTS.expired.last;
  batch.add('SADD', [key('minidouyin.publish', { user_id: expired }), ...accounts.get(expired)!.works]);
  for (const id of between(ACCOUNTS.likesGoneVideos))
    batch.add('ZADD', [key('minidouyin.user-like', { user_id: id }), 9000 + id, 9000 + id]);
  const gone = [...messages.values()].filter((message) => !isDocumented(message)).slice(-GONE_MESSAGES);
  for (const message of gone) batch.add('DEL', [messageKey(message)]);
  for (const [i, text] of ['not-an-id', '4 5', ''].entries()) {
    batch.add('SADD', [follows(ACCOUNTS.wrongFriendlist + i), text]);
    batch.add('EXPIRE', [follows(ACCOUNTS.wrongFriendlist + i), TTL_SECONDS]);
  }
  batch.add('HSET', [key('minidouyin.friendlist', { id: ACCOUNTS.wrongFriendlist }), '1', '2']);
  batch.add('HSET', [key('minidouyin.publish', { user_id: ACCOUNTS.wrongPublish }), '1', '2']);
  for (const id of ACCOUNTS.withoutId)
    for (const at of [key('minidouyin.user', { id }), tokenKey(accounts.get(id)!)])
      batch.add('HDEL', [at, 'ID']);
  batch.add('HDEL', [key('minidouyin.video', { id: VIDEOS.withoutId }), 'ID']);
  batch.add('SET', [Buffer.from(STRING_OF_OTHERS), 'nightly import', 'EX', TTL_SECONDS]);
  batch.add('SADD', [follows(ACCOUNTS.followsString), STRING_OF_OTHERS]);
  batch.add('SADD', [Buffer.from('users-online'), 'shop-1', 'shop-2']);
};
