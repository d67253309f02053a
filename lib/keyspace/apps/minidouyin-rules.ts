import type {
  EntityDefinition,
  FamilyBranch,
  KeySource,
  PairDefinition,
  RelationDefinition,
} from '../entities';
import { digits } from '../grammar';
import { rowId } from './minidouyin-ids';

type Params = Readonly<Record<string, string>>;

const keyOf = (name: string, params: Params): KeySource => ({ family: `minidouyin.${name}`, params });

const branch = (name: string, title: string, params: Params, id = name): FamilyBranch => ({
  id,
  title,
  ...keyOf(name, params),
});

const byId = { id: 'id' };
const ofUser = { user_id: 'id' };
/** `friend_10_9` is ordered as text, `chatrec_9_10` by number: both orders are tried everywhere. */
const pair: PairDefinition = {
  names: ['low', 'high'],
  separator: '_',
  unordered: true,
  grammars: [digits, digits],
};
const bothOrders = (name: string, first: string, second: string): KeySource[] => [
  keyOf(name, { [first]: 'low', [second]: 'high' }),
  keyOf(name, { [first]: 'high', [second]: 'low' }),
];
/** The keys of pairs that contain a user, in either place. */
const keysOfUser = (name: string, first: string, second: string) =>
  [first, second].map((param) => ({
    ...keyOf(name, { [param]: 'id' }),
    names: { [first]: 'low', [second]: 'high' },
  }));

const row = (names: readonly string[], title: readonly string[]) => ({
  keys: names.map((name) => keyOf(name, byId)),
  idField: 'ID',
  ...(title.length > 0 && { title }),
});

const toUser = (id: string, title: string, field: string): RelationDefinition => ({
  id,
  title,
  kind: 'user',
  from: { field },
});

const user: EntityDefinition = {
  app: 'minidouyin',
  kind: 'user',
  title: 'User',
  id: rowId,
  branches: [
    branch('user', 'User', byId),
    branch('follows', 'Follows', ofUser),
    branch('followers', 'Followers', ofUser),
    branch('publish', 'Published videos', ofUser),
    branch('user-like', 'Likes', ofUser),
    branch('friendlist', 'Friend list', byId),
    branch('friend', 'Latest messages, as first', { a: 'id' }, 'friend-first'),
    branch('friend', 'Latest messages, as second', { b: 'id' }, 'friend-second'),
  ],
  record: {
    ...row(['user'], ['Nickname', 'Username']),
    alias: { family: 'minidouyin.user-token', param: 'token', fields: ['Username', 'Passwd'] },
  },
  relations: [
    {
      id: 'follows',
      title: 'Follows',
      kind: 'user',
      inverse: 'followers',
      countField: 'FollowCount',
      from: { members: [keyOf('follows', ofUser), keyOf('follows-token', { token: 'alias' })] },
    },
    {
      id: 'followers',
      title: 'Followers',
      kind: 'user',
      inverse: 'follows',
      countField: 'FollowerCount',
      from: { members: [keyOf('followers', ofUser)] },
    },
    {
      id: 'published',
      title: 'Published videos',
      kind: 'video',
      inverse: 'author',
      countField: 'WorkCount',
      from: { members: [keyOf('publish', ofUser)] },
    },
    {
      id: 'likes',
      title: 'Likes',
      kind: 'video',
      countField: 'FavoriteCount',
      from: { members: [keyOf('user-like', ofUser)] },
    },
    {
      id: 'friends',
      title: 'Friends',
      kind: 'user',
      inverse: 'friends',
      from: { members: [keyOf('friendlist', byId)] },
    },
    {
      id: 'friendships',
      title: 'Latest messages of friends',
      kind: 'friendship',
      from: { keys: keysOfUser('friend', 'a', 'b') },
    },
    {
      id: 'chats',
      title: 'Chats',
      kind: 'chat',
      from: {
        keys: [...keysOfUser('chatrec', 'low', 'high'), ...keysOfUser('msg-record', 'low', 'high')],
      },
    },
  ],
};

const video: EntityDefinition = {
  app: 'minidouyin',
  kind: 'video',
  title: 'Video',
  id: digits,
  branches: [branch('video', 'Video', byId), branch('video-comment', 'Comments', { video_id: 'id' })],
  record: row(['video'], ['Title']),
  relations: [
    { ...toUser('author', 'Author', 'Author'), inverse: 'published' },
    {
      id: 'comments',
      title: 'Comments',
      kind: 'comment',
      inverse: 'video',
      countField: 'CommentCount',
      from: { members: [keyOf('video-comment', { video_id: 'id' })] },
    },
  ],
};

const comment: EntityDefinition = {
  app: 'minidouyin',
  kind: 'comment',
  title: 'Comment',
  id: digits,
  branches: [branch('comment', 'Comment', byId)],
  record: row(['comment'], ['Content']),
  relations: [
    toUser('author', 'Author', 'UserId'),
    { id: 'video', title: 'Video', kind: 'video', from: { field: 'VideoId' }, inverse: 'comments' },
  ],
};

const participants: RelationDefinition = {
  id: 'participants',
  title: 'Participants',
  kind: 'user',
  from: { parts: ['low', 'high'] },
};
const records = [...bothOrders('chatrec', 'low', 'high'), ...bothOrders('msg-record', 'low', 'high')];

const chat: EntityDefinition = {
  app: 'minidouyin',
  kind: 'chat',
  title: 'Chat',
  branches: [],
  pair,
  relations: [
    participants,
    { id: 'messages', title: 'Messages', kind: 'message', from: { members: records } },
  ],
  conversation: {
    keys: records,
    message: {
      keys: [keyOf('content', byId), keyOf('msg', byId)],
      // The handler reads CreateTime; a row of the table has CreatedAt.
      sender: 'FromID',
      time: 'CreateTime',
      otherTime: 'CreatedAt',
      content: 'Content',
    },
    senderKind: 'user',
    members: 'participants',
  },
};

const message: EntityDefinition = {
  app: 'minidouyin',
  kind: 'message',
  title: 'Message',
  id: digits,
  branches: [],
  record: row(['content', 'msg'], ['Content']),
  relations: [toUser('sender', 'Sender', 'FromID'), toUser('receiver', 'Receiver', 'ToID')],
};

/** Two friends with their latest message. */
const friendship: EntityDefinition = {
  app: 'minidouyin',
  kind: 'friendship',
  title: 'Friendship',
  branches: [],
  pair,
  record: { keys: bothOrders('friend', 'a', 'b'), title: ['Message'] },
  relations: [participants],
};

/** The entities of the short-video application. No rule deletes keys whose names contain a secret. */
export const minidouyinEntities: readonly EntityDefinition[] = [
  user,
  video,
  comment,
  chat,
  message,
  friendship,
];
