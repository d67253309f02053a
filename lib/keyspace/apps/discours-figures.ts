import { type Family, type FamilyDefinition, family } from '../family';
import { digits, plainText, segment } from '../grammar';

const DAY = 86_400;

const figures: readonly Family[] = [
  family({
    id: 'discours.migrated-views',
    pattern: 'migrated_views_{timestamp}',
    examples: ['migrated_views_1640995200'],
    params: { timestamp: digits },
    type: 'hash',
    ttl: 'none',
    role: 'view-import',
    parts: { at: { param: 'timestamp' } },
    title: 'Migrated views',
    purpose: 'Views per publication at a point in time, with _timestamp and _total.',
  }),
  family({
    id: 'discours.migrated-views-slugs',
    pattern: 'migrated_views_slugs',
    examples: ['migrated_views_slugs'],
    type: 'hash',
    ttl: 'none',
    role: 'view-slugs',
    title: 'Migrated views by slug',
    purpose: 'Slug to publication id; may hold slug to views.',
  }),
  family({
    id: 'discours.viewed',
    pattern: 'viewed:{shout_id}',
    examples: ['viewed:7'],
    params: { shout_id: digits },
    type: 'string',
    ttl: 'none',
    role: 'view-count',
    parts: { id: { param: 'shout_id' } },
    title: 'View counters',
    purpose: 'Views of a publication.',
  }),
  family({
    id: 'discours.metrics',
    pattern: 'metrics:{name}:{period}',
    examples: ['metrics:active_sessions:hourly', 'metrics:cache_hits:daily'],
    params: { name: plainText, period: segment },
    type: 'string',
    ttl: { minSeconds: 3600, maxSeconds: 30 * DAY },
    role: 'counter',
    parts: { name: { param: 'name' }, period: { param: 'period' } },
    title: 'Metrics',
    purpose: 'One number for one period.',
  }),
  family({
    id: 'discours.stats',
    pattern: 'stats:{entity}:{timeframe}',
    examples: ['stats:topics:weekly'],
    params: { entity: plainText, timeframe: segment },
    type: 'hash',
    ttl: { minSeconds: 3600, maxSeconds: 30 * DAY },
    role: 'stats',
    parts: { name: { param: 'entity' }, period: { param: 'timeframe' } },
    title: 'Statistics',
    purpose: 'Numbers about a kind of entity for one time frame.',
  }),
  family({
    id: 'discours.chats',
    pattern: 'chats/{path}',
    examples: ['chats/0b9c/messages/1'],
    params: { path: plainText },
    type: 'string',
    otherTypes: ['hash', 'list', 'set', 'zset'],
    ttl: 'any',
    title: 'Chats',
    purpose: 'Conversations and their messages, under names with slashes.',
  }),
];

type Channel = Pick<FamilyDefinition, 'id' | 'pattern' | 'examples' | 'params' | 'title' | 'purpose'>;

const channel = (def: Channel): Family => family({ type: 'channel', ttl: 'any', ...def });

/** `reaction`, `shout` and `follower:{author_id}` are used by the platform; the others are only documented. */
const channels: readonly Family[] = [
  channel({
    id: 'discours.notifications',
    pattern: 'notifications:{user_id}',
    examples: ['notifications:123'],
    params: { user_id: digits },
    title: 'Personal notifications',
    purpose: 'To one user.',
  }),
  channel({
    id: 'discours.notifications-global',
    pattern: 'notifications:global',
    examples: ['notifications:global'],
    title: 'Global notifications',
    purpose: 'To everyone.',
  }),
  channel({
    id: 'discours.notifications-topic',
    pattern: 'notifications:topic:{id}',
    examples: ['notifications:topic:5'],
    params: { id: digits },
    title: 'Topic notifications',
    purpose: 'About a topic.',
  }),
  channel({
    id: 'discours.notifications-shout',
    pattern: 'notifications:shout:{id}',
    examples: ['notifications:shout:5'],
    params: { id: digits },
    title: 'Publication notifications',
    purpose: 'About a publication.',
  }),
  channel({
    id: 'discours.reaction',
    pattern: 'reaction',
    examples: ['reaction'],
    title: 'Reactions',
    purpose: 'Payload and action of every reaction.',
  }),
  channel({
    id: 'discours.shout',
    pattern: 'shout',
    examples: ['shout'],
    title: 'Publications',
    purpose: 'Payload and action of every publication.',
  }),
  channel({
    id: 'discours.follower',
    pattern: 'follower:{author_id}',
    examples: ['follower:12'],
    params: { author_id: digits },
    title: 'New followers',
    purpose: 'New and removed followers of an author.',
  }),
];

export const discoursFigureFamilies: readonly Family[] = [...figures, ...channels];
