import { screen, waitFor } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Sessions from '@/app/(console)/[connection]/sessions/page';
import { Problem } from '@/lib/errors';
import { type Session, sessionContracts } from '@/lib/sessions/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { rowsOf } from '@/scripts/testing/table';

const api = fakeApi();
const NOTICE = 'The server restarted or failed over. The list was reloaded from the start.';

const session = (name: string): Session => ({
  handle: `91000001.${name.padEnd(22, '-')}`,
  userId: '91000001',
  username: 'e2e-user',
  createdAt: null,
  lastActivity: null,
  expiresAt: null,
  ttlSeconds: null,
  device: { label: `${name} phone`, userAgent: null, address: null },
  fingerprint: name,
  indexed: true,
  states: ['live'],
  jwt: null,
});

const expired = () => new Problem('cursor_expired', 'read it again');

const serveStats = () =>
  api.answer(sessionContracts.stats, {
    sessions: 2,
    users: 1,
    byState: null,
    oauth: [],
    verifications: [],
    oauthStates: 0,
    countedAt: new Date().toISOString(),
    counting: false,
  });

const shown = (label: string) =>
  rowsOf(label).map((row) => /(Alpha|Beta|Gamma) phone/.exec(textOf(row))?.[1]);

it('reloads a list whose cursor belongs to another server process, and says so', {
  tags: ['long'],
}, async () => {
  serveStats();
  let restarted = false;
  api.answer(sessionContracts.list, ({ cursor }) => {
    const page = (name: string, nextCursor: string | null) => ({
      items: [session(name)],
      nextCursor,
      examined: 1,
      keys: 2,
    });
    if (!cursor) return restarted ? page('Gamma', 'new') : page('Alpha', 'old');
    if (cursor === 'new') return page('Beta', null);
    restarted = true;
    throw expired();
  });
  renderAt('/demo/sessions', <Sessions />, { role: 'support' });
  await waitFor(() => expect(shown('Sessions')).toEqual(['Gamma', 'Beta']));
  expect(screen.getByText(NOTICE)).toBeTruthy();
  expect(api.asked(sessionContracts.list).map(({ cursor }) => cursor)).toEqual([
    undefined,
    'old',
    undefined,
    'new',
  ]);
  expect(screen.queryByText(/could not be refreshed/)).toBeNull();
});

it('does the same for a search', async () => {
  serveStats();
  let searches = 0;
  api.answer(sessionContracts.search, (() => {
    searches += 1;
    const progress = { examined: 1, keys: 2, sessions: 1, matches: 1, ratePerSecond: 10 };
    const reloads = [
      { event: 'match', data: session(searches === 1 ? 'Alpha' : 'Beta') },
      { event: 'progress', data: progress },
    ];
    if (searches > 1) return [...reloads, { event: 'end', data: { reason: 'complete' } }];
    return [...reloads, { event: 'error', data: expired().toDocument('r') }];
  }) as never);
  renderAt('/demo/sessions?name=e2e', <Sessions />, { role: 'support' });
  await waitFor(() => expect(shown('Matching sessions')).toEqual(['Beta']));
  expect(screen.getByText(NOTICE)).toBeTruthy();
});

it('gives up on a list whose cursor expires three times, and says so', { tags: ['long'] }, async () => {
  serveStats();
  api.answer(sessionContracts.list, ({ cursor }) => {
    if (cursor) throw expired();
    return { items: [session('Alpha')], nextCursor: 'old', examined: 1, keys: 2 };
  });
  renderAt('/demo/sessions', <Sessions />, { role: 'support' });
  expect(await screen.findByText(/could not be refreshed/)).toBeTruthy();
  expect(shown('Sessions')).toEqual(['Alpha']);
  const reads = api.asked(sessionContracts.list).filter(({ cursor }) => !cursor);
  expect(reads).toHaveLength(3);
});

it('gives up on such a search too', { tags: ['long'] }, async () => {
  serveStats();
  const progress = { examined: 1, keys: 2, sessions: 1, matches: 1, ratePerSecond: 10 };
  api.answer(sessionContracts.search, (() => [
    { event: 'match', data: session('Alpha') },
    { event: 'progress', data: progress },
    { event: 'error', data: expired().toDocument('r') },
  ]) as never);
  renderAt('/demo/sessions?name=e2e', <Sessions />, { role: 'support' });
  expect(await screen.findByText('read it again')).toBeTruthy();
  expect(api.asked(sessionContracts.search)).toHaveLength(3);
  expect(shown('Matching sessions')).toEqual(['Alpha']);
});
