import type { Batch } from '../batch';
import { tokenKey, writeAccount, writeFollows, writeLists } from './accounts';
import { writeMessage } from './chats';
import { ACCOUNTS, VIDEOS } from './damage';
import { type Account, addComment, addMessage, like, remarkOf, talkOf, type Video } from './video-model';
import { writeComment, writeVideo } from './videos';
import { key, type SocialWorld } from './world';

const MAX_COMMENTS = 1500;
const MAX_MESSAGES = 1500;
/** Accounts below this one have fixed damage (`ACCOUNTS`). */
const FIRST_ACTIVE = 50;

/** Reads a cached key; a missing one is loaded from the database. */
const read = (
  world: SocialWorld,
  batch: Batch,
  command: 'HGETALL' | 'SMEMBERS',
  at: Buffer,
  load: () => void,
): void =>
  batch.add(command, [at], (reply) => {
    const isHit = (reply as unknown[]).length > 0;
    if (isHit) world.hits++;
    else world.misses++;
    if (!isHit) load();
  });

const activeAccount = ({ random, video }: SocialWorld): Account =>
  video.accounts.get(FIRST_ACTIVE + random.popular(ACCOUNTS.regular - FIRST_ACTIVE))!;

const regularVideo = ({ random, video }: SocialWorld): Video =>
  video.videos.get(VIDEOS.regular - random.popular(VIDEOS.regular))!;

const readAccount = (world: SocialWorld, batch: Batch, account: Account): void =>
  read(world, batch, 'HGETALL', key('minidouyin.user', { id: account.id }), () =>
    writeAccount(world, batch, account),
  );

/** A video of the feed, its author, and whether the reader likes it. */
export const watch = (world: SocialWorld, batch: Batch): void => {
  const video = regularVideo(world);
  read(world, batch, 'HGETALL', key('minidouyin.video', { id: video.id }), () => writeVideo(batch, video));
  readAccount(world, batch, world.video.accounts.get(video.author)!);
  batch.add('ZSCORE', [key('minidouyin.user-like', { user_id: activeAccount(world).id }), video.id]);
};

export const openProfile = (world: SocialWorld, batch: Batch): void => {
  const account = activeAccount(world);
  readAccount(world, batch, account);
  for (const side of ['follows', 'followers'] as const) {
    // The application also requests lists of people who have none.
    const load = () => writeFollows(world, batch, account);
    read(world, batch, 'SMEMBERS', key(`minidouyin.${side}`, { user_id: account.id }), load);
  }
};

export const signIn = (world: SocialWorld, batch: Batch): void => {
  const account = activeAccount(world);
  read(world, batch, 'HGETALL', tokenKey(account), () => writeAccount(world, batch, account));
};

export const readComments = (world: SocialWorld, batch: Batch): void => {
  const { id, comments } = regularVideo(world);
  batch.add('ZRANGE', [key('minidouyin.video-comment', { video_id: id }), 0, -1]);
  for (const comment of [...comments].slice(-3)) {
    const load = () => {
      const row = world.video.comments.get(comment);
      if (row) writeComment(world, batch, row);
    };
    read(world, batch, 'HGETALL', key('minidouyin.comment', { id: comment }), load);
  }
};

/** Likes per account are limited, so that lists stay small. */
export const likeVideo = (world: SocialWorld, batch: Batch): void => {
  const [account, video] = [activeAccount(world), regularVideo(world)];
  if (account.likes.size > 40 || !like(world.video, account.id, video.id)) return;
  writeLists(world, batch, account);
  writeAccount(world, batch, account);
  writeVideo(batch, video);
};

/** Adds a comment; if there are many, the oldest is deleted. */
export const comment = (world: SocialWorld, batch: Batch): void => {
  const [user, video] = [activeAccount(world), regularVideo(world)];
  const content = remarkOf(world.random);
  const added = addComment(world.video, { video: video.id, user: user.id, content, createdAt: world.now() });
  writeComment(world, batch, added);
  writeVideo(batch, video);
  const { comments, videos } = world.video;
  const oldest = [...comments.values()].find((candidate) => candidate.video <= VIDEOS.regular);
  if (comments.size <= MAX_COMMENTS || !oldest) return;
  comments.delete(oldest.id);
  videos.get(oldest.video)!.comments.delete(oldest.id);
  batch.add('DEL', [key('minidouyin.comment', { id: oldest.id })]);
  batch.add('ZREM', [key('minidouyin.video-comment', { video_id: oldest.video }), oldest.id]);
  writeVideo(batch, videos.get(oldest.video)!);
};

/** A message between friends. Their keys expire, so only the database must be kept small. */
export const writeFriend = (world: SocialWorld, batch: Batch): void => {
  const account = activeAccount(world);
  const [friend] = [...account.friends].filter((id) => id >= FIRST_ACTIVE && id <= ACCOUNTS.regular);
  if (friend === undefined) return;
  const message = { from: account.id, to: friend, content: talkOf(world.random), createdAt: world.now() };
  writeMessage(world, batch, addMessage(world.video, message));
  const { messages } = world.video;
  if (messages.size > MAX_MESSAGES) messages.delete(messages.keys().next().value!);
};
