import type { Batch } from '../batch';
import type { Activity } from './activity-model';
import { key, type SocialWorld } from './world';

/** Own activities of these members are lists, written by an earlier version of the application. */
const hasList = (owner: string): boolean => owner.endsWith('7');

const joinedKey = (id: string): Buffer => key('qianxun.activity-in', { user_id: id });

/** Both sides: the participant of the activity, the joined activity of the user. */
export const join = (batch: Batch, { id, date }: Activity, member: string): void => {
  batch.add('SADD', [key('qianxun.activity-participants', { id }), member]);
  batch.add('ZADD', [joinedKey(member), date, id]);
};

export const quit = (batch: Batch, { id }: Activity, member: string): void => {
  batch.add('SREM', [key('qianxun.activity-participants', { id }), member]);
  batch.add('ZREM', [joinedKey(member), id]);
};

export const writeActivities = (world: SocialWorld, batch: Batch): void => {
  for (const activity of [...world.activities].sort((a, b) => a.date - b.date)) {
    const { id, fields, owner, date, participants } = activity;
    batch.add('HSET', [key('qianxun.activity', { id }), ...Object.entries(fields).flat()]);
    const own = key('qianxun.activity-own', { user_id: owner });
    if (hasList(owner)) batch.add('RPUSH', [own, id]);
    else batch.add('ZADD', [own, date, id]);
    for (const member of participants) join(batch, activity, member);
  }
};
