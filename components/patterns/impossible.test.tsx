import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { act, screen, waitFor } from '@testing-library/react/pure';
import { afterEach, expect, it, vi } from 'vitest';
import { FEATURES } from '@/lib/command/features';
import { connectionContracts, type FeatureRow } from '@/lib/connections/schema';
import { contractsByName } from '@/scripts/testing/contracts-by-name';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { ChangeDrawer } from './change-drawer';

const api = fakeApi();
afterEach(() => void vi.useRealTimers());

const feature = (change: Partial<FeatureRow>): FeatureRow => ({
  id: 'variables-delete',
  title: 'Delete variables',
  use: 'flags',
  state: 'works',
  missing: [],
  acl: null,
  reason: null,
  operations: ['env.delete'],
  ...change,
});
const REFUSED: Partial<FeatureRow> = {
  state: 'no',
  missing: ['UNLINK'],
  acl: '+unlink',
  reason: 'its user may not use UNLINK',
};
const answer = (...features: FeatureRow[]) =>
  api.answer(connectionContracts.capabilities, { features, nodes: [], readAt: new Date().toISOString() });

const open = (readOnly = false) =>
  renderAt(
    '/demo/env',
    <ChangeDrawer
      operation="env.delete"
      opened
      onClose={() => undefined}
      title="Delete one"
      verb="Delete"
      pending={false}
      error={null}
      onSubmit={() => undefined}
    >
      Text
    </ChangeDrawer>,
    { connection: { readOnly } },
  );
const button = () => screen.findByRole<HTMLButtonElement>('button', { name: 'Delete' });

it('disables a change that cannot work, with the reason and the ACL rules that would allow it', async () => {
  answer(feature(REFUSED));
  open();
  const alert = await screen.findByRole('alert', { name: 'This does not work here' });
  expect(textOf(alert)).toContain(
    'The Redis of Demo: its user may not use UNLINK. It takes the ACL rules +unlink.',
  );
  expect((await button()).disabled).toBe(true);
});

it('allows it once it is permitted', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  answer(feature(REFUSED));
  open();
  expect((await button()).disabled).toBe(true);
  await screen.findByRole('alert');
  answer(feature({}));
  await act(() => vi.advanceTimersByTimeAsync(5000));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  expect((await button()).disabled).toBe(false);
});

it('allows what works, also slower, and what is not known', async () => {
  answer(feature({ state: 'slower', reason: 'its user may use only some keys' }));
  open();
  await expect.poll(() => api.asked(connectionContracts.capabilities).length).toBe(1);
  expect((await button()).disabled).toBe(false);
  expect(screen.queryByRole('alert')).toBeNull();
});

it('says once that a connection is read-only', async () => {
  answer(feature(REFUSED));
  open(true);
  expect(await screen.findAllByRole('alert')).toHaveLength(1);
  expect((await button()).disabled).toBe(true);
});

const ROOT = join(import.meta.dirname, '..');
const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx') && !name.includes('.test.'))
  .map((name) => readFileSync(join(ROOT, name), 'utf8'));
const named = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/'([\w.]+)'|"([\w.]+)"/g)].map((match) => match[1] ?? match[2]!),
  ),
);
/**
 * Contracts, as components name them, of the files with a drawer that asks for the operation of its command, or with a
 * list that declares a bulk change.
 */
const inDrawers = sources
  .filter((source) => /<(?:KeyForm|(?:Form|JobChange|Invalidation|SetTtl)Drawer)|\bbulk: \{/.test(source))
  .join('\n');

it('is asked by the drawer of each change that may be impossible', async () => {
  const contracts = await contractsByName();
  const changes = FEATURES.filter(({ changes }) => changes).flatMap(({ operations }) => operations);
  for (const [name, { id }] of contracts)
    if (new RegExp(`\\b${name.replace('.', '\\.')}\\b`).test(inDrawers)) named.add(id);
  expect(changes.filter((operation) => !named.has(operation))).toEqual([]);
});
