import type { Batch } from './batch';
import { shoutSlug } from './content';
import { key, PEOPLE, SHOUTS, TOPICS, type World } from './world';

/** Messages of the publishing platform, and its real channels: `reaction`, `shout`, `follower:{id}`. */

const NOTIFICATIONS = [
  (world: World) => key('discours.notifications', { user_id: 1 + world.random.popular(PEOPLE) }),
  (world: World) => key('discours.notifications-topic', { id: 1 + world.random.popular(TOPICS) }),
  (world: World) => key('discours.notifications-shout', { id: 1 + world.random.popular(SHOUTS) }),
  () => key('discours.notifications-global'),
] as const;

const publish = (batch: Batch, channel: Buffer, message: object): void =>
  batch.add('PUBLISH', [channel, JSON.stringify(message)]);

/** A notification in the documented format. */
export const notify = (world: World, batch: Batch): void => {
  const { random } = world;
  const id = 1 + random.popular(SHOUTS);
  const author = random.pick(world.people);
  publish(batch, random.pick(NOTIFICATIONS)(world), {
    type: random.pick(['new_shout', 'new_comment', 'new_reaction', 'new_follower']),
    user_id: 1 + random.popular(PEOPLE),
    entity_type: 'shout',
    entity_id: id,
    action: random.pick(['created', 'updated', 'deleted']),
    data: { title: `Publication ${id}`, author: author.username },
    timestamp: world.now(),
  });
};

/** Changes in the real application's format: `{payload, action}`. */
export const announce = (world: World, batch: Batch): void => {
  const { random } = world;
  const shout = 1 + random.popular(SHOUTS);
  const author = 1 + random.popular(PEOPLE);
  const [channel, payload, actions] = random.pick([
    [
      key('discours.reaction'),
      {
        id: random.below(100_000),
        shout,
        kind: random.pick(['LIKE', 'DISLIKE', 'COMMENT']),
        created_by: author,
      },
      ['create', 'update', 'delete'],
    ],
    [
      key('discours.shout'),
      { id: shout, slug: shoutSlug(shout), published_at: world.now() },
      ['published', 'updated', 'unpublished'],
    ],
    [
      key('discours.follower', { author_id: author }),
      { id: 1 + random.below(PEOPLE), entity_id: author },
      ['follow', 'unfollow'],
    ],
  ] as const);
  publish(batch, channel, { payload, action: random.pick(actions) });
};
