import type { Batch } from '../batch';
import { join, quit } from './activities';
import { type Activity, REGULAR_ACTIVITIES } from './activity-model';
import { type Circle, circlesOf, type Pair, pairsOf, sayDirectly, sayInCircle } from './conversations';
import { FIRST_APART, memberId } from './member-model';
import { comeOnline, goOffline, writeMember } from './members';
import { key, type SocialWorld } from './world';

/** Requested profiles that are not cached: users who were inactive lately. */
const INACTIVE = 25;

const count = (world: SocialWorld, reply: unknown): boolean => {
  const isHit = Array.isArray(reply) ? reply.length > 0 : reply !== null;
  if (isHit) world.hits++;
  else world.misses++;
  return isHit;
};

export const readProfile = (world: SocialWorld, batch: Batch): void => {
  const index = world.random.popular(FIRST_APART + INACTIVE);
  const id = index < FIRST_APART ? memberId(index) : `u${5000 + index}`;
  batch.add('HGETALL', [key('qianxun.user', { id })], (reply) => count(world, reply));
};

export const readFriends = (world: SocialWorld, batch: Batch): void => {
  const { id, groups } = world.members[world.random.popular(FIRST_APART)]!;
  // Half of the time it requests a group that the user lacks.
  const group = world.random.chance(0.5) ? '大学' : [...groups.keys()][0];
  if (group === undefined) return;
  batch.add('SMEMBERS', [key('qianxun.groups', { user_id: id, group })], (reply) => count(world, reply));
};

export const readActivity = (world: SocialWorld, batch: Batch): void => {
  const { id } = world.activities[world.random.popular(world.activities.length)]!;
  batch.add('HGETALL', [key('qianxun.activity', { id })], (reply) => count(world, reply));
  batch.add('SMEMBERS', [key('qianxun.activity-participants', { id })], (reply) => count(world, reply));
};

const MAX_ONLINE = 110;

/** Loads the profile of whoever comes online, if it is missing. */
export const arrive = (world: SocialWorld, batch: Batch): void => {
  const member = world.random.pick(world.members);
  batch.add('HGETALL', [key('qianxun.user', { id: member.id })], (reply) => {
    if (!count(world, reply)) writeMember(batch, member);
  });
  comeOnline(world, batch, member);
  if (world.online.size > MAX_ONLINE) leave(world, batch);
};

export const leave = (world: SocialWorld, batch: Batch): void => {
  const online = [...world.online];
  const id = online[world.random.below(online.length)];
  if (id !== undefined && online.length > 30) goOffline(world, batch, id);
};

const regularActivity = (world: SocialWorld): Activity =>
  world.activities[world.random.below(REGULAR_ACTIVITIES)]!;

const MAX_PARTICIPANTS = 40;

/** A user joins, or another one leaves if the activity is full. */
export const takePart = (world: SocialWorld, batch: Batch): void => {
  const activity = regularActivity(world);
  const { participants } = activity;
  const leaving = [...participants].at(-1);
  if (participants.size > MAX_PARTICIPANTS && leaving !== undefined) {
    participants.delete(leaving);
    quit(batch, activity, leaving);
    return;
  }
  const member = world.members[REGULAR_ACTIVITIES + world.random.below(FIRST_APART - REGULAR_ACTIVITIES)]!;
  participants.add(member.id);
  join(batch, activity, member.id);
};

interface Talkers {
  pairs: Pair[];
  circles: Circle[];
}
const talkers = new WeakMap<SocialWorld, Talkers>();

const talkersOf = (world: SocialWorld): Talkers => {
  const known = talkers.get(world) ?? { pairs: pairsOf(world), circles: circlesOf(world) };
  talkers.set(world, known);
  return known;
};

export const writeDirectly = (world: SocialWorld, batch: Batch): void =>
  sayDirectly(world, batch, world.random.pick(talkersOf(world).pairs));

export const writeInCircle = (world: SocialWorld, batch: Batch): void =>
  sayInCircle(world, batch, world.random.pick(talkersOf(world).circles));

export const readMessages = (world: SocialWorld, batch: Batch): void => {
  const [from, to] = world.random.pick(talkersOf(world).pairs);
  const at = key('qianxun.message', { from: from.id, to: to.id });
  batch.add('LRANGE', [at, -20, -1], (reply) => count(world, reply));
};
