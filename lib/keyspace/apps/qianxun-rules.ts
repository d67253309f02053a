import type {
  EntityDefinition,
  FamilyBranch,
  KeySource,
  PairDefinition,
  RelationDefinition,
} from '../entities';
import { anyText } from '../grammar';
import { anyId } from './qianxun-ids';

const keyOf = (name: string, params: Readonly<Record<string, string>>): KeySource => ({
  family: `qianxun.${name}`,
  params,
});

const branch = (name: string, title: string, params: Readonly<Record<string, string>>): FamilyBranch => ({
  id: name,
  title,
  ...keyOf(name, params),
});

const ofUser = { user_id: 'id' };

const listOf = (id: string, title: string, name: string, rest: Partial<RelationDefinition> = {}) => ({
  id,
  title,
  from: { members: [keyOf(name, ofUser)] },
  ...rest,
});

const inGroup = { user_id: 'user', group: 'group' };
const between = { from: 'first', to: 'second' };

const user: EntityDefinition = {
  app: 'qianxun',
  kind: 'user',
  title: 'User',
  id: anyId,
  branches: [
    branch('user', 'User', { id: 'id' }),
    branch('groups', 'Friend groups', ofUser),
    branch('interests', 'Interests', ofUser),
    branch('activity-own', 'Own activities', ofUser),
    branch('activity-in', 'Joined activities', ofUser),
  ],
  record: { keys: [keyOf('user', { id: 'id' })], title: ['nickname', 'username'] },
  relations: [
    {
      id: 'friend-groups',
      title: 'Friend groups',
      kind: 'friend-group',
      from: { keys: [{ ...keyOf('groups', ofUser), names: inGroup }] },
    },
    listOf('interests', 'Interests', 'interests'),
    listOf('own', 'Own activities', 'activity-own', { kind: 'activity' }),
    listOf('joined', 'Joined activities', 'activity-in', { kind: 'activity', inverse: 'participants' }),
    {
      id: 'chats',
      title: 'Chats',
      kind: 'chat',
      from: {
        keys: [
          { ...keyOf('message', { from: 'id' }), names: between },
          { ...keyOf('message', { to: 'id' }), names: between },
        ],
      },
    },
    {
      id: 'chat-groups',
      title: 'Chat groups',
      kind: 'chat-group',
      from: { keys: [{ ...keyOf('chatgrp-list', ofUser), names: inGroup }] },
    },
    { id: 'online', title: 'Online', from: { memberOf: keyOf('onlines', {}) } },
  ],
};

const activity: EntityDefinition = {
  app: 'qianxun',
  kind: 'activity',
  title: 'Activity',
  id: anyId,
  branches: [
    branch('activity', 'Activity', { id: 'id' }),
    branch('activity-participants', 'Participants', { id: 'id' }),
  ],
  record: { keys: [keyOf('activity', { id: 'id' })], title: ['title'] },
  relations: [
    {
      id: 'participants',
      title: 'Participants',
      kind: 'user',
      inverse: 'joined',
      from: { members: [keyOf('activity-participants', { id: 'id' })] },
    },
  ],
};

const chat: EntityDefinition = {
  app: 'qianxun',
  kind: 'chat',
  title: 'Chat',
  branches: [],
  pair: { names: ['first', 'second'], separator: ':', unordered: true, grammars: [anyId, anyId] },
  relations: [
    { id: 'participants', title: 'Participants', kind: 'user', from: { parts: ['first', 'second'] } },
  ],
  conversation: {
    keys: [
      { ...keyOf('message', between), sender: 'first' },
      { ...keyOf('message', { from: 'second', to: 'first' }), sender: 'second' },
    ],
    text: ['time', 'content'],
    senderKind: 'user',
    members: 'participants',
  },
};

/** It is unknown what the first part of a room's key refers to. */
const room: EntityDefinition = {
  app: 'qianxun',
  kind: 'room',
  title: 'Topic room',
  branches: [],
  pair: { names: ['sub', 'name'], separator: ':', grammars: [anyId, anyText] },
  conversation: {
    keys: [keyOf('topic', { sub_id: 'sub', name: 'name' })],
    text: ['sender', 'time', 'content'],
  },
};

const groupOfUser: PairDefinition = { names: ['user', 'group'], separator: ':', grammars: [anyId, anyText] };
const owner: RelationDefinition = { id: 'owner', title: 'Owner', kind: 'user', from: { parts: ['user'] } };

const chatGroup: EntityDefinition = {
  app: 'qianxun',
  kind: 'chat-group',
  title: 'Chat group',
  branches: [],
  pair: groupOfUser,
  relations: [
    owner,
    {
      id: 'members',
      title: 'Members',
      kind: 'user',
      from: { members: [keyOf('chatgrp-list', inGroup)] },
    },
  ],
  conversation: {
    keys: [keyOf('chatgrp-msg', { sub_id: 'user', group: 'group' })],
    text: ['sender', 'time', 'content'],
    members: 'members',
  },
};

const friendGroup: EntityDefinition = {
  app: 'qianxun',
  kind: 'friend-group',
  title: 'Friend group',
  branches: [],
  pair: groupOfUser,
  relations: [
    owner,
    { id: 'friends', title: 'Friends', kind: 'user', from: { members: [keyOf('groups', inGroup)] } },
  ],
};

/** The entities of the social application. Its conversations are the only copy, so no rule deletes them. */
export const qianxunEntities: readonly EntityDefinition[] = [
  user,
  activity,
  chat,
  room,
  chatGroup,
  friendGroup,
];
