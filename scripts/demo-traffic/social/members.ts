import type { Batch } from '../batch';
import type { Member } from './member-model';
import { key, type SocialWorld } from './world';

/** What the application loads when a user comes online; interests without duplicates. */
export const writeMember = (batch: Batch, { id, profile, groups, interests }: Member): void => {
  const fields = Object.entries(profile).flat();
  batch.add('HSET', [key('qianxun.user', { id }), ...fields]);
  for (const [group, friends] of groups)
    batch.add('SADD', [key('qianxun.groups', { user_id: id, group }), ...friends]);
  if (interests.length > 0) batch.add('SADD', [key('qianxun.interests', { user_id: id }), ...interests]);
};

export const comeOnline = (world: SocialWorld, batch: Batch, member: Member): void => {
  world.online.add(member.id);
  batch.add('SADD', [key('qianxun.onlines'), member.id]);
};

export const goOffline = (world: SocialWorld, batch: Batch, id: string): void => {
  world.online.delete(id);
  batch.add('SREM', [key('qianxun.onlines'), id]);
};

const ONLINE = 70;

export const writeMembers = (world: SocialWorld, batch: Batch): void => {
  for (const member of world.members) writeMember(batch, member);
  while (world.online.size < ONLINE) comeOnline(world, batch, world.random.pick(world.members));
};
