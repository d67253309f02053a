import { expect, it } from 'vitest';
import type { SamplingState } from '@/lib/hit-rates/schema';
import { obstaclesOf } from './obstacles';

const YES = { allowed: true, why: null };
const NO = { allowed: false, why: 'NOPERM' };

const state = (change: Partial<SamplingState>, sufficient: boolean | null = false): SamplingState => ({
  on: false,
  everySeconds: 60,
  forSeconds: 1,
  dutyCycle: 1 / 60,
  origin: 'default',
  running: false,
  stoppedBecause: null,
  lastWindow: null,
  nodes: [{ node: 'a', present: '', proposed: 'Em', sufficient }],
  present: '',
  proposed: 'Em',
  needsConsent: !sufficient,
  configGet: YES,
  configSet: YES,
  monitor: YES,
  subscribe: YES,
  consent: null,
  question: null,
  toRestore: [],
  ...change,
});

it('has no obstacle on a server that permits everything, or that could not be queried', () => {
  expect(obstaclesOf(state({}), false)).toEqual([]);
  expect(obstaclesOf(state({ monitor: { allowed: null, why: null } }), false)).toEqual([]);
});

it('names what is refused, with the server’s error', () => {
  expect(obstaclesOf(state({ monitor: NO }, true), false)).toEqual([{ what: 'monitor', why: 'NOPERM' }]);
  expect(obstaclesOf(state({ configGet: NO, configSet: NO }, null), false).map(({ what }) => what)).toEqual([
    'configGet',
    'configSet',
  ]);
});

it('needs no change where the flags are already set', () => {
  expect(obstaclesOf(state({ configSet: NO }, true), true)).toEqual([]);
  expect(obstaclesOf(state({}, false), true)).toEqual([{ what: 'readOnly', why: null }]);
});
