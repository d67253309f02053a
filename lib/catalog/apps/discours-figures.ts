import { type Family, type FamilyDefinition, family } from '../family';
import { digits, plainText, segment } from '../grammar';

const DAY = 86_400;

/** 000, 5 and 8. */
const figures: readonly Family[] = [
  family({
    id: 'discours.migrated-views',
    pattern: 'migrated_views_{timestamp}',
    params: { timestamp: digits },
    type: 'hash',
    ttl: 'none',
    title: 'Migrated views',
    purpose: 'Views per publication at one time, with _timestamp and _total.',
  }),
  family({
    id: 'discours.migrated-views-slugs',
    pattern: 'migrated_views_slugs',
    type: 'hash',
    ttl: 'none',
    title: 'Migrated views by slug',
    purpose: 'Slug to publication id; may hold slug to views.',
  }),
  family({
    id: 'discours.viewed',
    pattern: 'viewed:{shout_id}',
    params: { shout_id: digits },
    type: 'string',
    ttl: 'none',
    title: 'View counters',
    purpose: 'How often a publication was viewed.',
  }),
  family({
    id: 'discours.metrics',
    pattern: 'metrics:{name}:{period}',
    params: { name: plainText, period: segment },
    type: 'string',
    ttl: { minSeconds: 3600, maxSeconds: 30 * DAY },
    title: 'Metrics',
    purpose: 'One number for one period.',
  }),
  family({
    id: 'discours.stats',
    pattern: 'stats:{entity}:{timeframe}',
    params: { entity: plainText, timeframe: segment },
    type: 'hash',
    ttl: { minSeconds: 3600, maxSeconds: 30 * DAY },
    title: 'Statistics',
    purpose: 'Numbers about a kind of entity for one time frame.',
  }),
  family({
    id: 'discours.chats',
    pattern: 'chats/{path}',
    params: { path: plainText },
    type: 'string',
    otherTypes: ['hash', 'list', 'set', 'zset'],
    ttl: 'any',
    title: 'Chats',
    purpose: 'Conversations and their messages, under names with slashes.',
  }),
];

const channel = (
  id: string,
  pattern: string,
  params: FamilyDefinition['params'],
  title: string,
  purpose: string,
): Family => family({ id, pattern, ...(params && { params }), type: 'channel', ttl: 'any', title, purpose });

/** 000, 6: documented channels; `reaction`, `shout` and `follower:{author_id}` are those really used. */
const channels: readonly Family[] = [
  channel(
    'discours.notifications',
    'notifications:{user_id}',
    { user_id: digits },
    'Personal notifications',
    'To one user.',
  ),
  channel(
    'discours.notifications-global',
    'notifications:global',
    undefined,
    'Global notifications',
    'To everyone.',
  ),
  channel(
    'discours.notifications-topic',
    'notifications:topic:{id}',
    { id: digits },
    'Topic notifications',
    'About a topic.',
  ),
  channel(
    'discours.notifications-shout',
    'notifications:shout:{id}',
    { id: digits },
    'Publication notifications',
    'About a publication.',
  ),
  channel('discours.reaction', 'reaction', undefined, 'Reactions', 'Payload and action of every reaction.'),
  channel('discours.shout', 'shout', undefined, 'Publications', 'Payload and action of every publication.'),
  channel(
    'discours.follower',
    'follower:{author_id}',
    { author_id: digits },
    'New followers',
    'Who began or ceased to follow an author.',
  ),
];

export const discoursFigureFamilies: readonly Family[] = [...figures, ...channels];
