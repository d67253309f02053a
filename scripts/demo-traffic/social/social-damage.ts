import type { Batch } from '../batch';
import { activityId, JOINED, REGULAR_ACTIVITIES } from './activity-model';
import { BIG_ROOM, between, ODD_GROUP } from './damage';
import { memberId } from './member-model';
import { key, type SocialWorld } from './world';

/** The group with dangling members; each of these users has it. */
const GROUP = '球友';

const groupOf = (index: number): Buffer => key('qianxun.groups', { user_id: memberId(index), group: GROUP });
const participantsOf = (index: number): Buffer =>
  key('qianxun.activity-participants', { id: activityId(index) });
const joinedOf = (index: number): Buffer => key('qianxun.activity-in', { user_id: memberId(index) });
const ownOf = (index: number): Buffer => key('qianxun.activity-own', { user_id: memberId(index) });

const damageFriends = (batch: Batch): void => {
  for (const i of between({ first: 10, last: 18 })) batch.add('SADD', [groupOf(i), `u${9100 + i}`]);
  // Ids have no colon.
  batch.add('SADD', [groupOf(22), 'u1:2']);
  batch.add('SADD', [groupOf(23), 'a:b']);
  for (const i of [20, 21]) batch.add('SADD', [groupOf(i), memberId(i)]);
  batch.add('HSET', [groupOf(390), memberId(0), '1']);
  const interests = key('qianxun.interests', { user_id: memberId(391) });
  batch.add('DEL', [interests]);
  batch.add('HSET', [interests, '摄影', '1']);
};

const ONLINE_WITHOUT_PROFILE = 7;

const damageActivities = (batch: Batch, now: number): void => {
  for (let i = 0; i < ONLINE_WITHOUT_PROFILE; i++)
    batch.add('SADD', [key('qianxun.onlines'), `u${9000 + i}`]);
  for (let i = 0; i < 6; i++) batch.add('SADD', [participantsOf(i), `u${9200 + i}`]);
  // Participants whose joined activities are not stored, or lack this one.
  for (let i = 0; i < 4; i++) batch.add('SADD', [participantsOf(REGULAR_ACTIVITIES + i), memberId(385 + i)]);
  for (let i = 0; i < 11; i++)
    batch.add('SADD', [participantsOf(REGULAR_ACTIVITIES + 4 + i), memberId(40 + i)]);
  // Joined activities that lack the participant, and activities that are gone.
  for (let i = 0; i < 6; i++)
    batch.add('ZADD', [joinedOf(60 + i), now, activityId(REGULAR_ACTIVITIES + 15 + (i % 4))]);
  for (let i = 0; i < 5; i++) batch.add('ZADD', [joinedOf(73 + i), now, `a${410 + i}`]);
  for (let i = 0; i < 3; i++) batch.add('ZADD', [ownOf(JOINED + 296 + i), now, `a${400 + i}`]);
  batch.add('HSET', [ownOf(392), activityId(0), '1']);
};

const damageConversations = (batch: Batch, now: number): void => {
  const direct = key('qianxun.message', { from: memberId(0), to: memberId(1) });
  batch.add('RPUSH', [direct, `${now}|`, 'half past eight', '|', `soon|not a time`]);
  for (let i = 0; i < 4; i++) batch.add('RPUSH', [direct, `message ${i} without separator`]);
  const room = key('qianxun.topic', { sub_id: BIG_ROOM.sub, name: BIG_ROOM.name });
  batch.add('RPUSH', [room, '没有分隔符']);
  const group = key('qianxun.chatgrp-list', { user_id: memberId(0), group: '周末小队' });
  for (let i = 0; i < 3; i++) batch.add('SADD', [group, `u${9300 + i}`]);
};

/** Damages the written keys, and adds ids and keys that are hard to read. The numbers are those of `DAMAGE`. */
export const damageSocial = (world: SocialWorld, batch: Batch): void => {
  const now = Math.floor(world.now() / 1000);
  damageFriends(batch);
  damageActivities(batch, now);
  damageConversations(batch, now);
  for (const [i, friend] of [1, 0].entries()) {
    const odd = key('qianxun.groups', { user_id: memberId(i), group: ODD_GROUP });
    batch.add('SADD', [odd, memberId(friend)]);
  }
  batch.add('SADD', [key('qianxun.interests', { user_id: memberId(390) }), Buffer.from([0xff, 0xfe])]);
  // Outside all families: not UTF-8, of another program, unknown.
  batch.add('SET', [Buffer.from('legacy:\xff\xfe', 'latin1'), Buffer.from([0, 159, 146, 150])]);
  batch.add('SET', [Buffer.from('qx:lock:import'), 'worker-3']);
  batch.add('SET', [Buffer.from('tmp_import_2024'), 'x'.repeat(5000)]);
};
