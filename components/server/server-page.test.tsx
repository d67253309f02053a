import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Server from '@/app/(console)/[connection]/server/page';
import { connectionContracts, type FeatureRow } from '@/lib/connections/schema';
import type { Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { clientContracts, type ServerClient } from '@/lib/server/clients/schema';
import { type ServerSections, type SlowLogEntry, serverContracts } from '@/lib/server/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { narrowPage, renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';
const NOW = new Date().toISOString();
const SCRIPT = '<img src=x onerror=alert(1)>';
const ADDRESS = '10.0.0.7:50123';

const open = (search: string, options: Parameters<typeof renderAt>[2] = {}) =>
  renderAt(`/demo/server${search}`, <Server />, options);

const client = (change: Partial<ServerClient> = {}): ServerClient => ({
  id: '7',
  name: 'checkout',
  address: ADDRESS,
  localAddress: '10.0.0.1:6379',
  user: 'app',
  ageSeconds: 3600,
  idleSeconds: 60,
  command: 'GET',
  memoryBytes: 20_000,
  outputBytes: 0,
  db: 0,
  flags: 'N',
  kind: 'normal',
  subscriptions: 0,
  queued: null,
  library: 'ioredis',
  libraryVersion: '6.0.0',
  own: false,
  saysKeyward: false,
  node: null,
  ...change,
});

type Clients = Result<typeof clientContracts.list>;
const clients = (items: ServerClient[], change: Partial<Clients> = {}): Clients => ({
  items,
  nextCursor: null,
  readAt: NOW,
  state: 'listed',
  connected: items.length,
  limit: 20_000,
  listed: items.length,
  total: items.length,
  refused: null,
  missingNodes: [],
  byUser: [{ value: 'app', clients: items.length, memoryBytes: 1 }],
  byName: [],
  byKind: [],
  ...change,
});

const entry = (change: Partial<SlowLogEntry> = {}): SlowLogEntry => ({
  id: '1',
  at: NOW,
  durationMicros: 25_000,
  command: 'HSET',
  family: 'press.post',
  keys: 1,
  families: [{ family: 'press.post', title: 'Posts' }],
  arguments: [
    { text: 'post:7', kind: 'key' },
    { text: '•••', kind: 'value' },
  ],
  argumentsTotal: 40,
  client: { name: 'checkout', address: ADDRESS },
  own: false,
  saysKeyward: false,
  inScript: false,
  node: null,
  ...change,
});

type SlowLog = Result<typeof serverContracts.slowLog>;
const slowLog = (items: SlowLogEntry[], change: Partial<SlowLog> = {}): SlowLog => ({
  items,
  nextCursor: null,
  readAt: NOW,
  length: items.length,
  read: items.length,
  total: items.length,
  thresholdMicros: 10_000,
  maxLength: 128,
  missing: [],
  refused: null,
  missingNodes: [],
  byFamily: [{ id: 'press.post', title: 'Posts', entries: 1, totalMicros: 25_000, maxMicros: 25_000 }],
  byCommand: [{ id: 'HSET', title: 'HSET', entries: 1, totalMicros: 25_000, maxMicros: 25_000 }],
  ...change,
});

const known = { state: 'ok' as const, findings: [], cause: null, reason: null, missing: [] };
const sections: ServerSections = {
  process: {
    ...known,
    figures: {
      product: 'valkey',
      version: '8.1.0',
      mode: 'standalone',
      uptimeSeconds: 86_400,
      runId: 'abc',
      processId: 1,
      port: 6379,
      os: 'Linux',
      architectureBits: 64,
      ioThreads: 0,
      clients: 3,
      blockedClients: null,
    },
  },
  replication: {
    ...known,
    state: 'attention',
    findings: ['linkDown'],
    figures: {
      role: 'replica',
      offset: 10,
      backlogBytes: null,
      replicas: [],
      primary: {
        address: '10.0.0.1:6379',
        link: 'down',
        downSeconds: 9,
        lastIoSeconds: null,
        syncing: false,
      },
    },
  },
  persistence: {
    ...known,
    state: 'unknown',
    cause: 'notPermitted',
    reason: 'its user may not use INFO',
    missing: ['INFO'],
    figures: null,
  },
  memory: {
    ...known,
    figures: {
      usedBytes: 1024,
      peakBytes: null,
      rssBytes: null,
      fragmentationRatio: null,
      doctor: 'Hi Sam\u0007',
    },
  },
  counters: {
    ...known,
    figures: {
      connections: 1,
      rejectedConnections: 0,
      commands: 2,
      errorReplies: 1,
      errors: [{ kind: SCRIPT, count: 1 }],
    },
  },
  settings: {
    ...known,
    state: 'attention',
    findings: ['latencyMonitorOff'],
    figures: {
      slowLogMicros: 10_000,
      slowLogMaxLength: 128,
      latencyMonitorMs: 0,
      maxClients: 10_000,
      maxMemoryBytes: 0,
      policy: 'noeviction',
      readOnly: null,
    },
  },
};

it('shows each part of the server, and why one is unknown', async () => {
  api.answer(serverContracts.get, {
    at: NOW,
    sections,
    node: null,
    missingNodes: [],
    nodes: [{ node: '10.0.0.2:6379', attention: 2 }],
  });
  open('');
  const panel = async (name: string) =>
    textOf((await screen.findByRole('heading', { name })).closest('section'));
  expect(await panel('Process')).toContain('Valkey 8.1.0');
  expect(await panel('Process')).toContain('Blocked clients—');
  expect(await panel('Replication')).toContain('The link to the primary is down');
  expect(await panel('Persistence')).toContain('its user may not use INFO');
  expect(await panel('Settings')).toContain('Memory limitno limit');
  expect(await panel('Memory')).toContain('Hi Sam\\x07');
  expect(await panel('Counts since the start')).toContain(SCRIPT);
  expect(document.querySelector('img[src="x"]')).toBeNull();
});

it('shows the slow log with masked arguments, what is slow, and leads from an entry to its client', {
  tags: ['long'],
}, async () => {
  api.answer(serverContracts.slowLog, slowLog([entry()]));
  api.answer(clientContracts.list, clients([client()]));
  const { user } = open('?tab=slowlog&min=10000');
  const row = await rowWith('HSET post:7 ••• …');
  expect(api.asked(serverContracts.slowLog)[0]).toMatchObject({ minMicros: 10_000, own: false });
  expect([cellOf(row, 'Duration'), cellOf(row, 'Families'), cellOf(row, 'Client')]).toEqual([
    '25 ms',
    'Posts',
    'checkout',
  ]);
  screen.getByRole('table', { name: 'Slow families' });
  await user.click(row);
  const drawer = within(await screen.findByRole('dialog', { name: 'HSET, 25 ms' }));
  drawer.getByText('40 arguments. Values are hidden.');
  expect(drawer.getByRole('link', { name: 'Posts' }).getAttribute('href')).toBe(
    '/demo/families?family=press.post',
  );
  await user.click(drawer.getByRole('button', { name: 'Show this client' }));
  await waitFor(() => expect(api.asked(clientContracts.list).at(-1)).toMatchObject({ q: ADDRESS }));
  expect(window.location.search).toContain('tab=clients');
});

it('says that the slow log is off, or refused', { tags: ['long'] }, async () => {
  api.answer(serverContracts.slowLog, slowLog([], { thresholdMicros: -1 }));
  const { unmount } = open('?tab=slowlog');
  await screen.findByText('The slow log is off');
  unmount();
  const refused = { reason: 'its user may not use SLOWLOG', missing: ['SLOWLOG GET'] };
  const unread = { length: null, read: null, total: null };
  api.answer(serverContracts.slowLog, slowLog([], { ...unread, refused }));
  const second = open('?tab=slowlog');
  await screen.findByText(/may not use SLOWLOG/);
  expectUnknown('No slow commands');
  second.unmount();
  api.answer(serverContracts.slowLog, slowLog([], { thresholdMicros: null, missing: ['CONFIG GET'] }));
  open('?tab=slowlog');
  await screen.findByText(/Whether the server logs slow commands.* is unknown/);
  expect(screen.queryByText(/longer than/)).toBeNull();
});

/** No figure and no empty state of a list that was not read. */
const expectUnknown = (empty: string) => {
  screen.getByText('—');
  expect(screen.queryByText(empty)).toBeNull();
};

it('shows no count of clients and commands that the server does not list', { tags: ['long'] }, async () => {
  const refused = { reason: 'its user may not use CLIENT', missing: ['CLIENT LIST'] };
  const unread = { connected: null, listed: null, total: null };
  api.answer(clientContracts.list, clients([], { ...unread, state: 'unknown', refused }));
  const { unmount } = open('?tab=clients');
  await screen.findByText(/may not use CLIENT/);
  expectUnknown('No clients');
  unmount();
  api.answer(serverContracts.commands, {
    items: [],
    nextCursor: null,
    readAt: NOW,
    total: null,
    missing: [],
    missingNodes: [],
    windowSeconds: null,
    callsPerSecond: null,
    refused,
  });
  open('?tab=commands');
  await screen.findByText(/may not use CLIENT/);
  expectUnknown('No commands');
});

it('says of a client that only its name is Keyward’s, and lets it be killed with a warning', {
  tags: ['long'],
}, async () => {
  api.answer(clientContracts.list, clients([client({ name: 'keyward-read', saysKeyward: true })]));
  const { user } = open('?tab=clients');
  const row = await rowWith('keyward-read');
  within(row).getByText('says it is Keyward');
  await user.click(within(row).getByRole('button', { name: /^Kill client/ }));
  const drawer = within(await screen.findByRole('dialog', { name: `Kill client ${ADDRESS}` }));
  drawer.getByText(/it may be another process of Keyward, or anybody/);
});

it.each([
  ['admin', true],
  ['support', false],
  ['product', false],
] as const)('offers %s to kill a client: %s', async (role, offered) => {
  api.answer(clientContracts.list, clients([client({ name: SCRIPT })]));
  open('?tab=clients', { role });
  const row = await rowWith(SCRIPT);
  const button = within(row).queryByRole('button', { name: `Kill client ${ADDRESS}` });
  expect(button !== null).toBe(offered);
});

it('shows a viewer nothing of the server', async () => {
  open('?tab=clients', { role: 'viewer' });
  await screen.findByText(/don.t have access/i);
});

it('kills the client that was shown once its address is typed, and says what ends', {
  tags: ['long'],
}, async () => {
  const blocked = client({ kind: 'blocked', command: 'BLPOP', flags: 'b' });
  api.answer(clientContracts.list, clients([blocked, client({ id: '8', address: 'x:1', own: true })]));
  api.answer(clientContracts.kill, () => {
    api.answer(clientContracts.list, clients([]));
    return { killed: true as const, blocked: true, subscriptions: 0, queued: null, auditId: AUDIT_ID };
  });
  const { user, fill } = open('?tab=clients', { connection: { environment: 'production' } });
  const row = await rowWith('checkout');
  expect(screen.getAllByRole('button', { name: /^Kill client/ })).toHaveLength(1);
  await user.click(within(row).getByRole('button', { name: `Kill client ${ADDRESS}` }));
  const drawer = within(await screen.findByRole('dialog', { name: `Kill client ${ADDRESS}` }));
  drawer.getByText('Its blocking call BLPOP ends without a reply.');
  drawer.getByText('This cannot be undone.');
  const verb = drawer.getByRole('button', { name: 'Kill client' });
  await fill(drawer.getByLabelText(`Type ${ADDRESS} to confirm`), ADDRESS);
  expect(verb).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/demo/), 'demo');
  await user.click(verb);
  await screen.findByText(`Client ${ADDRESS} was killed`);
  expect(api.asked(clientContracts.kill)).toEqual([{ id: '7', address: ADDRESS, confirm: 'demo' }]);
});

it('leads from the details of a client to the kill, for those who may', { tags: ['long'] }, async () => {
  api.answer(clientContracts.list, clients([client()]));
  const { user, unmount } = open('?tab=clients');
  await user.click(within(await rowWith('checkout')).getByRole('button', { name: `Details of ${ADDRESS}` }));
  const details = within(await screen.findByRole('dialog', { name: `Client ${ADDRESS}` }));
  await user.click(details.getByRole('button', { name: 'Kill client' }));
  await screen.findByRole('dialog', { name: `Kill client ${ADDRESS}` });
  unmount();
  const support = open('?tab=clients', { role: 'support' }).user;
  await support.click(within(await rowWith('checkout')).getByText('checkout'));
  const shown = within(await screen.findByRole('dialog', { name: `Client ${ADDRESS}` }));
  expect(shown.queryByRole('button', { name: 'Kill client' })).toBeNull();
});

it('shows the filters of clients in the address, and asks the server for them', async () => {
  api.answer(clientContracts.list, clients([client()]));
  open('?tab=clients&own=without&idle=600&kind=blocked&type=nonsense');
  await rowWith('checkout');
  const [asked] = api.asked(clientContracts.list);
  expect(asked).toMatchObject({ own: false, minIdleSeconds: 600, kind: 'blocked' });
  expect(asked).not.toHaveProperty('type');
});

it('shows a refusal of the kill, and stays open', { tags: ['long'] }, async () => {
  api.answer(clientContracts.list, clients([client()]));
  api.answer(clientContracts.kill, () => {
    throw new Problem('conflict', 'The client with this id is not the one that was shown.');
  });
  const { user, fill } = open('?tab=clients');
  await user.click(within(await rowWith('checkout')).getByRole('button', { name: /^Kill/ }));
  const drawer = within(await screen.findByRole('dialog', { name: /^Kill client/ }));
  expect(drawer.getByRole('button', { name: 'Kill client' })).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/^Type/), ADDRESS);
  await user.click(drawer.getByRole('button', { name: 'Kill client' }));
  await drawer.findByText(/is not the one that was shown/);
});

it('offers one type of clients where there are too many', async () => {
  api.answer(clientContracts.list, (input) =>
    input.type
      ? clients([client({ kind: 'pubsub' })], { connected: 30_000 })
      : clients([], { state: 'tooMany', connected: 30_000, listed: null, total: null }),
  );
  const { user } = open('?tab=clients');
  await screen.findByText('30,000 clients are connected');
  await user.click(screen.getByRole('button', { name: 'Subscribers' }));
  await rowWith('checkout');
  expect(window.location.search).toContain('type=pubsub');
});

it('sorts clients on the server, and keeps the order in the address', { tags: ['long'] }, async () => {
  api.answer(clientContracts.list, clients([client()]));
  const { user } = open('?tab=clients');
  await rowWith('checkout');
  await user.click(screen.getByRole('button', { name: /Idle/ }));
  await waitFor(() => expect(api.asked(clientContracts.list).at(-1)).toMatchObject({ sort: 'idle' }));
  expect(window.location.search).toContain('sort=idle');
});

it('shows commands with their rate and its window, unknown as a dash', async () => {
  const row = {
    command: 'GET',
    calls: 1000,
    callsPerSecond: 12.5,
    totalMicros: 5000,
    usecPerCall: 5,
    timeShare: 0.5,
    rejectedCalls: 0,
    failedCalls: 2,
    percentiles: [{ percentile: 99, micros: 2007 }],
  };
  const answer = { nextCursor: null, readAt: NOW, total: 2, missing: [], missingNodes: [], refused: null };
  api.answer(serverContracts.commands, {
    ...answer,
    windowSeconds: 3.1,
    callsPerSecond: 12.5,
    items: [row, { ...row, command: 'CONFIG GET', callsPerSecond: null, percentiles: [] }],
  });
  open('?tab=commands');
  const get = await rowWith('GET');
  expect(['Calls/s', 'Per call', 'p99', 'Failed'].map((heading) => cellOf(get, heading))).toEqual([
    '13/s',
    '5 µs',
    '2 ms',
    '2',
  ]);
  const config = await rowWith('CONFIG GET');
  expect(['Calls/s', 'p99'].map((heading) => cellOf(config, heading))).toEqual(['—', '—']);
  screen.getByText(/in the last 3.1 s/);
});

it('says how to turn the latency monitor on, and charts each event', async () => {
  const answer = {
    nextCursor: null,
    readAt: NOW,
    roundTrips: [],
    missing: [],
    missingNodes: [],
    refused: null,
  };
  api.answer(serverContracts.latency, { ...answer, items: [], thresholdMs: 0 });
  const { unmount } = open('?tab=latency');
  await screen.findByText('CONFIG SET latency-monitor-threshold 100');
  unmount();
  const event = {
    event: 'fork',
    node: null,
    at: NOW,
    latestMs: 12,
    maxMs: 40,
    history: [{ at: NOW, ms: 12 }],
  };
  api.answer(serverContracts.latency, { ...answer, items: [event], thresholdMs: 10 });
  open('?tab=latency');
  await screen.findByRole('img', { name: 'Duration of each event of fork' });
  screen.getByText(/latest 12 ms, longest 40 ms/);
});

it('says what of the latency is unknown instead of that nothing happened', async () => {
  api.answer(serverContracts.latency, {
    items: [],
    nextCursor: null,
    readAt: NOW,
    thresholdMs: null,
    roundTrips: null,
    missing: ['CONFIG GET'],
    missingNodes: [],
    refused: null,
  });
  open('?tab=latency');
  await screen.findByText(/Whether its latency monitor is on is unknown/);
  screen.getByText('Unknown, because the store of Keyward is unavailable.');
  expect(screen.queryByText(/No event took|has not measured any/)).toBeNull();
});

it('shows clients as cards on a phone, with the button to kill', async () => {
  narrowPage();
  api.answer(clientContracts.list, clients([client()]));
  open('?tab=clients');
  const card = (await screen.findAllByRole('listitem'))[0]!;
  expect(textOf(card)).toContain('checkout');
  within(card).getByRole('button', { name: `Kill client ${ADDRESS}` });
});

it('lists what works, what is missing and the ACL rules that would allow it', async () => {
  const feature = (change: Partial<FeatureRow>): FeatureRow => ({
    id: 'flags',
    title: 'Read flags',
    use: 'flags',
    state: 'works',
    missing: [],
    acl: null,
    reason: null,
    operations: ['flags.list'],
    ...change,
  });
  api.answer(connectionContracts.capabilities, {
    features: [
      feature({}),
      feature({
        id: 'variables-delete',
        title: 'Delete variables',
        state: 'no',
        missing: ['UNLINK'],
        acl: '+unlink',
        reason: 'its user may not use UNLINK',
      }),
    ],
    nodes: [{ id: '127.0.0.1:6379', role: 'primary', user: 'limited', scripts: true }],
    readAt: NOW,
  });
  open('?tab=works');
  const refused = await rowWith('Delete variables');
  expect(textOf(refused)).toContain('Not permitted');
  expect(textOf(refused)).toContain('its user may not use UNLINK');
  expect(textOf(refused)).toContain('+unlink');
  expect(textOf(await rowWith('Read flags'))).toContain('Works');
  expect(screen.getByText(/1 work, 1 is not permitted/)).toBeDefined();
});
