import type { Ledger } from '../ledger';
import type { Random } from '../random';
import { ACCOUNTS, between, HOSTILE_NICKNAME, VIDEOS } from './damage';

/** A row of users. Counts follow from the sets, as in its database. */
export interface Account {
  id: number;
  username: string;
  nickname: string;
  password: string;
  follows: Set<number>;
  followers: Set<number>;
  works: Set<number>;
  likes: Set<number>;
  friends: Set<number>;
}

export interface Video {
  id: number;
  title: string;
  author: number;
  likes: number;
  comments: Set<number>;
  createdAt: number;
}

export interface Comment {
  id: number;
  video: number;
  user: number;
  content: string;
  createdAt: number;
}

export interface Message {
  id: number;
  from: number;
  to: number;
  content: string;
  createdAt: number;
}

/** The database of the short-video application. By id; times are epoch milliseconds. */
export interface VideoWorld {
  accounts: Map<number, Account>;
  videos: Map<number, Video>;
  comments: Map<number, Comment>;
  messages: Map<number, Message>;
  nextId: number;
}

const HANDLES = ['toni', 'alex', 'momo', 'kiki', 'bob', 'luna', 'xiaoming', 'tiantian', 'nana', 'rick'];
const TITLES = [
  '海边日落',
  '三分钟做早餐',
  '猫咪的一天',
  '旧城漫步',
  'Street jazz',
  '手工拉面',
  '滑板第一课',
  '雨夜东京',
];
const REMARKS = [
  '太好看了!',
  '求背景音乐',
  '哈哈哈哈 😂',
  'first | second',
  '在哪里拍的?',
  'great cut',
  '已三连',
  '👍👍',
];
const TALK = ['在吗?', '周末有空吗', 'ok | see you', '视频看了,很棒', '明天见 👋', '发我一下', 'haha'];

const accountOf = (random: Random, ledger: Ledger, id: number): Account => {
  const hostile = id === ACCOUNTS.hostile;
  const username = hostile ? 'video_bob' : `${random.pick(HANDLES)}${id}`;
  const password = ledger.secret(12);
  ledger.keep(username + password);
  return {
    id,
    username,
    password,
    nickname: hostile
      ? HOSTILE_NICKNAME
      : `${random.pick(HANDLES)} ${random.pick(['🌊', '老师', '同学', ''])}`.trim(),
    follows: new Set(),
    followers: new Set(),
    works: new Set(),
    likes: new Set(),
    friends: new Set(),
  };
};

const follow = (world: VideoWorld, from: number, to: number): void => {
  world.accounts.get(from)!.follows.add(to);
  world.accounts.get(to)!.followers.add(from);
};

/** Regular accounts follow each other; all follow the first one. Mutual followers are friends. */
const connect = (random: Random, world: VideoWorld): void => {
  for (const id of between({ first: 2, last: ACCOUNTS.regular })) {
    follow(world, id, 1);
    const others = 2 + random.below(10);
    for (let i = 0; i < others; i++) {
      const other = 1 + random.popular(ACCOUNTS.regular);
      if (other === id) continue;
      follow(world, id, other);
      if (random.chance(0.3)) follow(world, other, id);
    }
  }
  for (const { id, follows, followers, friends } of world.accounts.values())
    for (const other of follows) if (other !== id && followers.has(other)) friends.add(other);
};

export const addComment = (
  world: VideoWorld,
  { video, user, content, createdAt }: Omit<Comment, 'id'>,
): Comment => {
  const comment = { id: world.nextId++, video, user, content, createdAt };
  world.comments.set(comment.id, comment);
  world.videos.get(video)!.comments.add(comment.id);
  return comment;
};

export const addMessage = (world: VideoWorld, message: Omit<Message, 'id'>): Message => {
  const stored = { ...message, id: world.nextId++ };
  world.messages.set(stored.id, stored);
  return stored;
};

export const remarkOf = (random: Random): string => random.pick(REMARKS);
export const talkOf = (random: Random): string => random.pick(TALK);

const HOUR = 3_600_000;

const publish = (random: Random, world: VideoWorld, now: number): void => {
  for (const id of between({ first: 1, last: VIDEOS.all })) {
    const isOfExpired = id >= VIDEOS.ofExpired.first && id <= VIDEOS.ofExpired.last;
    const author = isOfExpired ? ACCOUNTS.expired.last : 1 + random.below(100);
    const createdAt = now - (VIDEOS.all + 1 - id) * HOUR;
    const title = `${random.pick(TITLES)} #${id}`;
    world.videos.set(id, { id, title, author, likes: 0, comments: new Set(), createdAt });
    world.accounts.get(author)!.works.add(id);
    const isPartial = id >= VIDEOS.partialComments.first && id <= VIDEOS.partialComments.last;
    const comments = isPartial ? 6 : isOfExpired ? 0 : random.below(5);
    for (let i = 0; i < comments; i++)
      addComment(world, {
        video: id,
        user: 1 + random.below(ACCOUNTS.regular),
        content: remarkOf(random),
        createdAt: createdAt + (i + 1) * 60_000,
      });
  }
};

export const like = (world: VideoWorld, user: number, video: number): boolean => {
  const { likes } = world.accounts.get(user)!;
  if (likes.has(video)) return false;
  likes.add(video);
  world.videos.get(video)!.likes++;
  return true;
};

const likeAll = (random: Random, world: VideoWorld): void => {
  for (const id of between({ first: 1, last: ACCOUNTS.regular - 20 })) {
    const isPartial = id >= ACCOUNTS.partialLikes.first && id <= ACCOUNTS.partialLikes.last;
    const count = isPartial ? 9 : 1 + random.below(12);
    while (world.accounts.get(id)!.likes.size < count) like(world, id, 1 + random.below(VIDEOS.regular));
  }
};

const CHATS = 70;
const MAX_CHATS_EACH = 3;

/** Friends write to each other. */
const talk = (random: Random, world: VideoWorld, now: number): void => {
  const pairs = [...world.accounts.values()]
    .flatMap(({ id, friends }) => {
      const later = [...friends].filter((other) => other > id).slice(0, MAX_CHATS_EACH);
      return later.map((other) => [id, other] as const);
    })
    .slice(0, CHATS);
  for (const pair of pairs) {
    const count = 2 + random.below(10);
    for (let i = 0; i < count; i++) {
      const [from, to] = random.chance(0.5) ? pair : ([pair[1], pair[0]] as const);
      addMessage(world, { from, to, content: talkOf(random), createdAt: now - (count - i) * 400_000 });
    }
  }
};

/** The database before it is damaged. */
export const videoWorldOf = (random: Random, ledger: Ledger, now: number): VideoWorld => {
  const ids = between({ first: 1, last: ACCOUNTS.all });
  const world: VideoWorld = {
    accounts: new Map(ids.map((id) => [id, accountOf(random, ledger, id)])),
    videos: new Map(),
    comments: new Map(),
    messages: new Map(),
    nextId: 1001,
  };
  connect(random, world);
  publish(random, world, now);
  likeAll(random, world);
  talk(random, world, now);
  return world;
};
