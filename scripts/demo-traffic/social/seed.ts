import { batchOn, type Target } from '../batch';
import type { TrafficOptions } from '../world';
import { writeAccount, writeFollows, writeFollowsByToken, writeLists } from './accounts';
import { writeActivities } from './activities';
import { writeChats } from './chats';
import { writeConversations } from './conversations';
import { writeMembers } from './members';
import { damageSocial } from './social-damage';
import { damageVideos, isStored, relateDamaged } from './video-damage';
import { writeVideos } from './videos';
import { createSocialWorld, type SocialWorld } from './world';

/**
 * Writes a realistic state of the social and the short-video application into an empty Redis: 400 and 300 users with
 * their data, and the damage of `DAMAGE`. Returns the world, with which the live traffic continues.
 */
export const seedSocial = async (redis: Target, options: TrafficOptions = {}): Promise<SocialWorld> => {
  const world = createSocialWorld(options);
  const batch = batchOn(redis, world.ledger.write);
  writeMembers(world, batch);
  writeActivities(world, batch);
  writeConversations(world, batch);
  damageSocial(world, batch);
  await batch.flush();
  relateDamaged(world.video);
  for (const account of [...world.video.accounts.values()].filter(isStored)) {
    writeAccount(world, batch, account, false);
    writeFollows(world, batch, account, false);
    writeLists(world, batch, account, false);
  }
  writeFollowsByToken(world, batch);
  await batch.flush();
  writeVideos(world, batch);
  writeChats(world, batch);
  damageVideos(world, batch);
  await batch.flush();
  return world;
};
