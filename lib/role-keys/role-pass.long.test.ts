import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { catalogFor } from '@/lib/keyspace/apps-of';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { RoleKey, RoleKeys } from './role-keys';
import { rolePass } from './role-pass';

const scan = vi.hoisted(() => ({ answer: async (): Promise<unknown> => undefined }));
vi.mock('./role-keys', () => ({ roleKeys: () => scan.answer() }));

const START = 1_800_000_000_000;
let clock = 0;
beforeEach(() => {
  clock = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  vi.spyOn(Date, 'now').mockImplementation(() => START + clock);
});
afterEach(() => void vi.restoreAllMocks());

const handle = {
  topology: { primaries: () => [], known: async () => {} },
  config: { id: 'x' },
} as unknown as ConnectionHandle;
const catalog = catalogFor(['discours']);
const family = catalog.role('lock')!;

/** The scan takes `ms` of each request, and answers this. */
const scanned = (keys: string[], foundAt: number | null, ms = 0) => {
  scan.answer = async (): Promise<RoleKeys> => {
    clock += ms;
    const named = keys.map((key): RoleKey => ({ key: Buffer.from(key), family, params: null }));
    return { keys: named, isComplete: foundAt !== null, scannedFrom: foundAt, foundAt };
  };
};

const values = new Map<string, string>();
const passOf = (name: string) =>
  rolePass({
    name,
    role: 'lock',
    shown: ['operation'],
    read: async (_handle, { keys }) => keys.map(({ key }) => ({ value: values.get(`${key}`) ?? '' })),
  });

it('has read everything only after the first scan has ended', async () => {
  const pass = passOf('unscanned');
  values.set('a', 'one');
  scanned(['a'], null);
  expect(await pass.current(handle, catalog)).toMatchObject({
    found: [{ value: 'one', shown: { key: 'a', operation: null } }],
    isComplete: false,
    foundAt: null,
    readAt: null,
  });
  scanned(['a'], START);
  clock += 300;
  expect(await pass.current(handle, catalog)).toMatchObject({
    found: [{ value: 'one' }],
    isComplete: true,
    foundAt: START,
    readAt: START + 300,
  });
});

it('reads values as often as they are quickly read, however slow the scan is', async () => {
  const pass = passOf('slow scan');
  values.set('a', 'one');
  scanned(['a'], START, 3000);
  expect((await pass.current(handle, catalog)).found).toMatchObject([{ value: 'one' }]);
  values.set('a', 'two');
  scanned(['a'], START);
  clock += 300;
  expect((await pass.current(handle, catalog)).found).toMatchObject([{ value: 'two' }]);
});
