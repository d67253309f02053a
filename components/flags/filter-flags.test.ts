import { describe, expect, it } from 'vitest';
import type { Flag } from '@/lib/flags/schema';
import { flagRow } from '@/scripts/testing/flag-row';
import { choicesOf, filterFlags, NO_FILTER } from './filter-flags';

const flag = (name: string, rest: Partial<Flag> = {}): Flag =>
  flagRow(name, { etag: name, request: null, ...rest });

const suspended = { state: 'suspended' } as Flag['schedule'][number];
const FLAGS = [
  flag('FEATURE_CHAT', {
    enabled: true,
    stale: true,
    description: 'Talking to each other',
    owner: 'Team Talk',
  }),
  flag('FEATURE_DRAFTS', { schedule: [suspended], kind: 'killSwitch', tags: ['editor'] }),
  flag('FEATURE_ODD', { enabled: null, request: { state: 'pending' } as Flag['request'] }),
];

const found = (filter: Partial<typeof NO_FILTER>) =>
  filterFlags(FLAGS, { ...NO_FILTER, ...filter }).map(({ name }) => name);

describe('filtering flags', () => {
  it('looks into names and descriptions, in any case', () => {
    expect(found({ q: ' chat ' })).toEqual(['FEATURE_CHAT']);
    expect(found({ q: 'EACH other' })).toEqual(['FEATURE_CHAT']);
    expect(found({ q: 'team talk' })).toEqual(['FEATURE_CHAT']);
    expect(found({ q: 'editor' })).toEqual(['FEATURE_DRAFTS']);
    expect(found({ q: 'nothing' })).toEqual([]);
  });

  it('tells kinds apart, and filters nothing by an unknown one', () => {
    expect(found({ kind: 'killSwitch' })).toEqual(['FEATURE_DRAFTS']);
    expect(found({ kind: 'release' })).toEqual([]);
    expect(found({ kind: 'nonsense' })).toHaveLength(3);
  });

  it('finds the flags of an owner, and those with a tag', () => {
    expect(found({ owner: 'Team Talk' })).toEqual(['FEATURE_CHAT']);
    expect(found({ owner: 'Team' })).toEqual([]);
    expect(found({ tag: 'editor' })).toEqual(['FEATURE_DRAFTS']);
    expect(found({ tag: 'edit' })).toEqual([]);
    expect(found({ owner: 'Team Talk', tag: 'editor' })).toEqual([]);
  });

  it('offers each owner and tag once, and the one that is chosen', () => {
    expect(choicesOf(['b', null, 'a', 'b'], '')).toEqual(['a', 'b']);
    expect(choicesOf(['b'], 'gone')).toEqual(['b', 'gone']);
    expect(choicesOf([null], '')).toEqual([]);
  });

  it('tells on, off and what is no boolean apart', () => {
    expect(found({ state: 'on' })).toEqual(['FEATURE_CHAT']);
    expect(found({ state: 'off' })).toEqual(['FEATURE_DRAFTS']);
    expect(found({ state: 'notBoolean' })).toEqual(['FEATURE_ODD']);
  });

  it('finds stale flags, those with scheduled or suspended changes, and those with a request', () => {
    expect(found({ is: 'stale' })).toEqual(['FEATURE_CHAT']);
    expect(found({ is: 'scheduled' })).toEqual(['FEATURE_DRAFTS']);
    expect(found({ is: 'waiting' })).toEqual(['FEATURE_ODD']);
    expect(found({ state: 'on', is: 'waiting' })).toEqual([]);
  });

  it('filters nothing by what an address may say and nobody knows', () => {
    expect(found({ state: '__proto__', is: 'x' })).toHaveLength(3);
  });
});
