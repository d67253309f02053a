import { type Family, type FamilyDefinition, family } from '../family';
import { plainText } from '../grammar';
import type { FamilyRole } from '../roles';

/** Whether a family of an application has this role and all keys with this prefix. A narrower one exists beside it. */
const isReplaced = ({ role, pattern }: Family, families: readonly Family[]): boolean => {
  const beginning = pattern.slice(0, pattern.indexOf('{') + 1);
  return families.some((family) => family.role === role && family.pattern.startsWith(beginning));
};

type Common = Pick<FamilyDefinition, 'type' | 'title' | 'purpose' | 'examples'> & Partial<FamilyDefinition>;

export const COMMON_APP = 'common';

/** Keys with a conventional prefix, whatever their application. */
const common = (prefix: string, role: FamilyRole, def: Common): Family =>
  family({
    id: `${COMMON_APP}.${prefix}`,
    pattern: `${prefix}:{name}`,
    params: { name: plainText },
    ttl: 'any',
    role,
    ...(role !== 'lock' && { parts: { name: { param: 'name' } } }),
    ...def,
  });

const commonFamilies: readonly Family[] = [
  common('lock', 'lock', {
    examples: ['lock:task:processing:456'],
    type: 'string',
    otherTypes: ['hash'],
    ttl: { minSeconds: 10, maxSeconds: 60 },
    parts: { operation: { param: 'name' }, owner: { value: 'text' } },
    title: 'Other locks',
    purpose: 'A lock, with the token of its owner.',
  }),
  common('queue', 'queue', {
    examples: ['queue:email:pending'],
    type: 'list',
    otherTypes: ['zset', 'stream'],
    title: 'Queues',
    purpose: 'Work that waits.',
  }),
  common('delayed', 'queue', {
    examples: ['delayed:tasks'],
    type: 'zset',
    title: 'Delayed tasks',
    purpose: 'Tasks by the time at which they are due.',
  }),
  common('leaderboard', 'leaderboard', {
    examples: ['leaderboard:daily'],
    type: 'zset',
    title: 'Leaderboards',
    purpose: 'Members by their score.',
  }),
  common('counter', 'count', {
    examples: ['counter:daily:visits'],
    type: 'string',
    title: 'Counters',
    purpose: 'A number that the application counts up.',
  }),
  common('bitmap', 'bitmap', {
    examples: ['bitmap:sign-in:2024-01'],
    type: 'string',
    title: 'Bitmaps',
    purpose: 'One bit per user or day.',
  }),
  common('hll', 'hyperloglog', {
    examples: ['hll:visitors:2024-01'],
    type: 'string',
    title: 'Distinct counts',
    purpose: 'The approximate number of different values (HyperLogLog).',
  }),
];

/**
 * Every connection has these families, except where a family of its applications has this role and all keys with the
 * prefix.
 */
export const commonBeside = (families: readonly Family[]): Family[] =>
  commonFamilies.filter((common) => !isReplaced(common, families));
