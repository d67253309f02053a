import type { Batch } from '../batch';
import { BIG_ROOM } from './damage';
import { FIRST_APART, type Member } from './member-model';
import { key, type SocialWorld } from './world';

const TALK = [
  '你好!',
  '周六一起去吗?',
  '地址: 三里屯 | 3 号楼 | 201',
  'ok',
  '晚点说 😄',
  '照片发群里了',
  '<b>重要</b>: 改到九点',
  '几点集合?',
  '谢谢!',
];
const ROOMS = [
  { sub: '12', name: '电影:科幻' },
  { sub: '3', name: '徒步路线' },
  { sub: 's77', name: 'jazz' },
  { sub: '41', name: '北京 | 美食' },
];
const CIRCLES = ['周末小队', 'climbing', '家:北京'];
const PAIRS = 140;
/** Maximum length of lists, so that the demo may run for days. */
const MAX_MESSAGES = 200;
const MAX_ROOM = BIG_ROOM.messages + 500;

const seconds = (world: SocialWorld, ago = 0): number => Math.floor(world.now() / 1000) - ago;

/** A chat group, by its creator. */
export interface Circle {
  owner: Member;
  group: string;
  members: Member[];
}

/** Two members who write to each other. */
export type Pair = readonly [Member, Member];

const regular = (world: SocialWorld, index: number): Member => world.members[index % FIRST_APART]!;

export const circlesOf = (world: SocialWorld): Circle[] =>
  Array.from({ length: 24 }, (_, i) => ({
    owner: regular(world, i * 5),
    group: CIRCLES[i % CIRCLES.length]!,
    members: Array.from({ length: 3 + (i % 6) }, (_, j) => regular(world, i * 5 + j * 7)),
  }));

export const pairsOf = (world: SocialWorld): Pair[] =>
  Array.from({ length: PAIRS }, (_, i) => [regular(world, i), regular(world, i * 3 + 1)] as const);

const circleParams = ({ owner, group }: Circle) => ({ sub_id: owner.id, group });

export const sayDirectly = (world: SocialWorld, batch: Batch, pair: Pair, ago = 0): void => {
  const [from, to] = world.random.chance(0.5) ? pair : ([pair[1], pair[0]] as const);
  const at = key('qianxun.message', { from: from.id, to: to.id });
  batch.add('RPUSH', [at, `${seconds(world, ago)}|${world.random.pick(TALK)}`]);
  if (ago === 0) batch.add('LTRIM', [at, -MAX_MESSAGES, -1]);
};

const textOf = (world: SocialWorld, { profile }: Member, ago: number): string =>
  `${profile.nickname}|${seconds(world, ago)}|${world.random.pick(TALK)}`;

export const sayInCircle = (world: SocialWorld, batch: Batch, circle: Circle, ago = 0): void => {
  const at = key('qianxun.chatgrp-msg', circleParams(circle));
  batch.add('RPUSH', [at, textOf(world, world.random.pick(circle.members), ago)]);
  if (ago === 0) batch.add('LTRIM', [at, -MAX_MESSAGES, -1]);
};

export const sayInRoom = (world: SocialWorld, batch: Batch): void => {
  const { sub, name } = world.random.chance(0.5) ? BIG_ROOM : world.random.pick(ROOMS);
  const at = key('qianxun.topic', { sub_id: sub, name });
  batch.add('RPUSH', [at, textOf(world, world.random.pick(world.members), 0)]);
  batch.add('LTRIM', [at, -MAX_ROOM, -1]);
};

const writeRoom = (world: SocialWorld, batch: Batch, sub: string, name: string, count: number): void => {
  const texts = Array.from({ length: count }, (_, i) =>
    textOf(world, regular(world, i * 11), (count - i) * 45),
  );
  batch.add('RPUSH', [key('qianxun.topic', { sub_id: sub, name }), ...texts]);
};

export const writeConversations = (world: SocialWorld, batch: Batch): void => {
  for (const pair of pairsOf(world)) {
    const count = 1 + world.random.below(8);
    for (let i = count; i > 0; i--) sayDirectly(world, batch, pair, i * 300);
  }
  for (const circle of circlesOf(world)) {
    const list = key('qianxun.chatgrp-list', { user_id: circle.owner.id, group: circle.group });
    batch.add('SADD', [list, ...circle.members.map(({ id }) => id)]);
    for (let i = 20; i > 0; i--) sayInCircle(world, batch, circle, i * 600);
  }
  for (const { sub, name } of ROOMS) writeRoom(world, batch, sub, name, 60);
  writeRoom(world, batch, BIG_ROOM.sub, BIG_ROOM.name, BIG_ROOM.messages);
};
