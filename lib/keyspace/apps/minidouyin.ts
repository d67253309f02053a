import { type Family, type FamilyDefinition, family } from '../family';
import { anyText, digits, type Grammar, text } from '../grammar';
import { rowId } from './minidouyin-ids';

/** The application has a single TTL. */
const TTL = { seconds: 5 * 3600 };

/**
 * User name and password joined (`toni123456`), as far as a name alone reveals. Names with the separators of other
 * families (`video_bob123`, `a/b`) are identified by their fields only.
 */
const bareToken: Grammar = {
  ...text('bare-token', ':_/{} \t\r\n\0', 'a user name with a password behind it', 256),
  min: 2,
};

type Row = Pick<FamilyDefinition, 'id' | 'pattern' | 'type' | 'title' | 'purpose'> &
  Partial<FamilyDefinition>;

const cached = (def: Row): Family => family({ params: { id: digits }, ttl: TTL, role: 'cache', ...def });
const userRow = {
  type: 'hash',
  sensitiveFields: ['Passwd', 'Token'],
  identifyingFields: ['Username', 'Passwd'],
  fields: ['ID'],
} as const;
const userId = { user_id: digits };
const videosOf = { family: 'minidouyin.video', param: 'id' };
const usersOf = { family: 'minidouyin.user', param: 'id' };

const users: readonly Family[] = [
  cached({
    id: 'minidouyin.user',
    pattern: '{id}',
    examples: ['4'],
    params: { id: rowId },
    ...userRow,
    related: ['publish', 'user-like', 'followers', 'follows'].map((name) => ({
      family: `minidouyin.${name}`,
      params: { user_id: 'id' },
    })),
    title: 'Users',
    purpose: 'A row of users, with the password in plain text.',
  }),
  cached({
    id: 'minidouyin.user-token',
    pattern: '{token}',
    examples: ['toni123456', '13800138000123456'],
    params: { token: bareToken },
    ...userRow,
    sensitive: ['token'],
    title: 'Users by token',
    purpose: 'The same row under user name and password: the key itself is a secret.',
    role: undefined,
    guarded: true,
  }),
  cached({
    id: 'minidouyin.follows',
    pattern: 'follows_{user_id}',
    examples: ['follows_4'],
    params: { user_id: rowId },
    type: 'set',
    members: usersOf,
    title: 'Follows',
    purpose: 'Ids of the users that a user follows, as really written.',
  }),
  cached({
    id: 'minidouyin.follows-token',
    pattern: 'follows_{token}',
    examples: ['follows_toni123456', 'follows_to_ni:123456'],
    params: { token: anyText },
    type: 'set',
    members: usersOf,
    sensitive: ['token'],
    title: 'Follows by token',
    purpose: 'Ids of the users that a user follows, under user name and password.',
    role: undefined,
    guarded: true,
  }),
  cached({
    id: 'minidouyin.followers',
    pattern: 'followers_{user_id}',
    examples: ['followers_4'],
    params: userId,
    type: 'set',
    members: usersOf,
    title: 'Followers',
    purpose: 'Ids of the users that follow a user.',
  }),
  cached({
    id: 'minidouyin.friendlist',
    pattern: 'friendlist_{id}',
    examples: ['friendlist_4'],
    type: 'set',
    members: usersOf,
    title: 'Friend lists',
    purpose: "Ids of a user's friends; the application writes a sorted set.",
  }),
  cached({
    id: 'minidouyin.friend',
    pattern: 'friend_{a}_{b}',
    examples: ['friend_1_4', 'friend_10_9'],
    params: { a: digits, b: digits },
    type: 'hash',
    fields: ['FromID', 'ToID'],
    title: 'Friends',
    purpose: 'Two friends and their latest message.',
  }),
];

const videos: readonly Family[] = [
  cached({
    id: 'minidouyin.video',
    pattern: 'video_{id}',
    examples: ['video_27'],
    type: 'hash',
    fields: ['ID', 'Author'],
    related: [{ family: 'minidouyin.video-comment', params: { video_id: 'id' } }],
    title: 'Videos',
    purpose: 'A row of videos. The application forgets its TTL: the EXPIRE goes to the bare id.',
  }),
  cached({
    id: 'minidouyin.publish',
    pattern: 'publish_{user_id}',
    examples: ['publish_4'],
    params: userId,
    type: 'set',
    members: videosOf,
    title: 'Published videos',
    purpose: 'Ids of the videos of a user. The application forgets its TTL.',
  }),
  cached({
    id: 'minidouyin.user-like',
    pattern: 'user_like_{user_id}',
    examples: ['user_like_4'],
    params: userId,
    type: 'set',
    members: videosOf,
    title: 'Likes',
    purpose: 'Ids of the videos that a user likes; the application writes a sorted set.',
  }),
  cached({
    id: 'minidouyin.comment',
    pattern: 'comment_{id}',
    examples: ['comment_9'],
    type: 'hash',
    fields: ['ID', 'VideoId', 'UserId'],
    title: 'Comments',
    purpose: 'A row of comments.',
  }),
  cached({
    id: 'minidouyin.video-comment',
    pattern: 'video_comment_{video_id}',
    examples: ['video_comment_27'],
    params: { video_id: digits },
    type: 'zset',
    members: { family: 'minidouyin.comment', param: 'id' },
    related: [{ family: 'minidouyin.video', params: { id: 'video_id' } }],
    title: 'Comments of a video',
    purpose: 'Ids of the comments on a video, in order of id.',
  }),
];

const between = { low: digits, high: digits };

const messageRow = { type: 'hash', fields: ['ID', 'FromID', 'ToID'] } as const;

const messages: readonly Family[] = [
  cached({
    id: 'minidouyin.msg',
    pattern: 'msg_{id}',
    examples: ['msg_3'],
    ...messageRow,
    title: 'Messages',
    purpose: 'A row of messages.',
  }),
  cached({
    id: 'minidouyin.content',
    pattern: 'content_{id}',
    examples: ['content_3'],
    ...messageRow,
    title: 'Messages (as written)',
    purpose: 'A row of messages under the key that the application really writes.',
  }),
  cached({
    id: 'minidouyin.msg-record',
    pattern: 'msgRecord_{low}_{high}',
    examples: ['msgRecord_1_4'],
    params: between,
    type: 'zset',
    role: 'conversation',
    members: { family: 'minidouyin.msg', param: 'id' },
    title: 'Chat records',
    purpose: 'Ids of the messages between two users, lower user id first.',
  }),
  cached({
    id: 'minidouyin.chatrec',
    pattern: 'chatrec_{low}_{high}',
    examples: ['chatrec_1_4', 'chatrec_9_10'],
    params: between,
    type: 'zset',
    role: 'conversation',
    members: { family: 'minidouyin.content', param: 'id' },
    title: 'Chat records (as written)',
    purpose: 'Ids of the messages between two users under the key that the application really writes.',
  }),
];

/** The short-video application, including keys that it writes without documenting them. */
export const minidouyinFamilies: readonly Family[] = [...users, ...videos, ...messages];
