import { type Family, type FamilyDefinition, family } from '../family';
import { anyText } from '../grammar';
import { anyId } from './qianxun-ids';

type Row = Pick<FamilyDefinition, 'id' | 'pattern' | 'type' | 'title' | 'purpose'> &
  Partial<FamilyDefinition>;

/** The application documents no TTLs: profiles and activities are loaded at start, conversations are persistent. */
const kept = (def: Row): Family => family({ ttl: 'any', ...def });

const id = { id: anyId };
const ofUser = { user_id: anyId };
const usersOf = { family: 'qianxun.user', param: 'id' };
const activitiesOf = { family: 'qianxun.activity', param: 'id' };

const people: readonly Family[] = [
  kept({
    id: 'qianxun.onlines',
    pattern: 'onlines',
    examples: ['onlines'],
    type: 'set',
    members: usersOf,
    role: 'presence',
    parts: { userId: { member: 'text' } },
    title: 'Online users',
    purpose: 'Ids of the users who are online.',
  }),
  kept({
    id: 'qianxun.user',
    pattern: 'user:{id}',
    examples: ['user:7', 'user:u1000', 'user:65f0c0ffee0123456789abcd'],
    params: id,
    type: 'hash',
    fields: ['username'],
    sensitiveFields: ['password', 'salt'],
    related: ['interests', 'activity-own', 'activity-in'].map((name) => ({
      family: `qianxun.${name}`,
      params: { user_id: 'id' },
    })),
    title: 'Users',
    purpose: 'A profile: user name, gender, date of birth, zodiac sign, school.',
    role: 'cache',
  }),
  kept({
    id: 'qianxun.groups',
    pattern: 'groups:{user_id}:{group}',
    examples: ['groups:7:大学', 'groups:u_1:a:b'],
    params: { user_id: anyId, group: anyText },
    type: 'set',
    members: usersOf,
    title: 'Friend groups',
    purpose: 'Ids of the friends that a user keeps in a group.',
    role: 'cache',
  }),
  kept({
    id: 'qianxun.interests',
    pattern: 'interests:{user_id}',
    examples: ['interests:7'],
    params: ofUser,
    type: 'set',
    title: 'Interests',
    purpose: "A user's interests.",
    role: 'cache',
  }),
];

const activities: readonly Family[] = [
  kept({
    id: 'qianxun.activity',
    pattern: 'activity:{id}',
    examples: ['activity:3', 'activity:a500'],
    params: id,
    type: 'hash',
    fields: ['title'],
    related: [{ family: 'qianxun.activity-participants', params: { id: 'id' } }],
    title: 'Activities',
    purpose: 'Title, introduction, place and position.',
    role: 'cache',
  }),
  kept({
    id: 'qianxun.activity-participants',
    pattern: 'activity:{id}:participants',
    examples: ['activity:3:participants', 'activity:a500:participants'],
    params: id,
    type: 'set',
    members: usersOf,
    related: [{ family: 'qianxun.activity', params: { id: 'id' } }],
    title: 'Participants',
    purpose: 'Ids of the participants of an activity.',
    role: 'cache',
  }),
  ...(['own', 'in'] as const).map((side) =>
    kept({
      id: `qianxun.activity-${side}`,
      pattern: `activity:{user_id}:${side}`,
      examples: [`activity:7:${side}`, `activity:u1000:${side}`],
      params: ofUser,
      type: 'zset',
      otherTypes: ['list'],
      members: activitiesOf,
      related: [{ family: 'qianxun.user', params: { id: 'user_id' } }],
      title: side === 'own' ? 'Own activities' : 'Joined activities',
      purpose: `Ids of the activities that a user ${side === 'own' ? 'started' : 'joined'}, by date.`,
      role: 'cache',
    }),
  ),
];

/** The only copy: none of these is a cache. */
const conversations: readonly Family[] = [
  kept({
    id: 'qianxun.message',
    pattern: 'message:{from}:{to}',
    examples: ['message:1:2', 'message:u1000:u1001'],
    params: { from: anyId, to: anyId },
    type: 'list',
    role: 'conversation',
    title: 'Direct messages',
    purpose: 'time|content, from one user to another.',
  }),
  kept({
    id: 'qianxun.topic',
    pattern: 'topic:{sub_id}:{name}',
    examples: ['topic:9:摄影', 'topic:9:a:b|c'],
    // `topic:id:5` of the publishing platform is more literal.
    params: { sub_id: anyId, name: anyText },
    type: 'list',
    role: 'conversation',
    title: 'Topic rooms',
    purpose: 'nickname|time|content of a discussion about a topic.',
  }),
  kept({
    id: 'qianxun.chatgrp-list',
    pattern: 'chatgrp:{user_id}:list:{group}',
    examples: ['chatgrp:7:list:friends', 'chatgrp:u_1:list:a:b'],
    params: { user_id: anyId, group: anyText },
    type: 'set',
    members: usersOf,
    title: 'Chat groups',
    purpose: "Ids of the members of a user's chat group.",
  }),
  kept({
    id: 'qianxun.chatgrp-msg',
    pattern: 'chatgrp:{sub_id}:msg:{group}',
    examples: ['chatgrp:9:msg:friends', 'chatgrp:u_1:msg:a:b'],
    params: { sub_id: anyId, group: anyText },
    type: 'list',
    role: 'conversation',
    title: 'Group messages',
    purpose: 'nickname|time|content of a chat group.',
  }),
];

/** The application only documents that whiteboards use pub/sub: the name of these channels is ours. */
const whiteboard = kept({
  id: 'qianxun.whiteboard',
  pattern: 'whiteboard:{id}',
  examples: ['whiteboard:a500'],
  params: id,
  type: 'channel',
  title: 'Whiteboards',
  purpose: 'What is drawn on a whiteboard, for those who have it open.',
});

/** The social application. */
export const qianxunFamilies: readonly Family[] = [...people, ...activities, ...conversations, whiteboard];
