import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Keys from '@/app/(console)/[connection]/keys/page';
import type { Result } from '@/lib/contract';
import { badInput } from '@/lib/errors';
import { type FamilyRow, familyContracts, type Preview } from '@/lib/families/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { type KeyRow, keyContracts } from '@/lib/keys/schema';
import { downloads } from '@/scripts/testing/downloads';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { narrowPage, renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const files = downloads();

const family = (id: string, title: string, change: Partial<FamilyRow> = {}): FamilyRow => ({
  family: id,
  app: id.split('.')[0]!,
  title,
  purpose: `What ${title} are for`,
  pattern: `${id}:{id}`,
  type: 'string',
  types: null,
  drift: [],
  params: ['id'],
  secretParams: [],
  grammar: { id: 'decimal digits' },
  pairs: null,
  ttl: '1 h',
  ttlSeconds: 3600,
  expires: true,
  cache: true,
  guarded: false,
  keys: 10,
  memoryBytes: 1000,
  withoutTtl: 0,
  hitRate: null,
  hits: null,
  misses: null,
  source: 'none',
  coverage: null,
  error: null,
  windowSeconds: null,
  missesPerSecond: null,
  originLoadPerSecond: null,
  sampledAt: null,
  countedAt: new Date().toISOString(),
  ...change,
});

const FAMILIES = [
  family('discours.oauth', 'OAuth tokens', {
    pattern: 'oauth:{provider}:{user_id}',
    params: ['provider', 'user_id'],
    keys: 1240,
    guarded: true,
    grammar: { provider: 'a word', user_id: 'decimal digits' },
    type: 'hash',
    cache: false,
  }),
  family('discours.topics', 'Topics', { pattern: 'topics:{id}' }),
  family('hawk.limits', 'Rate limits', { pattern: 'rate_limits', params: [], grammar: {}, type: 'hash' }),
];

const idOf = (key: string): string => Buffer.from(key).toString('base64url');
const keyRow = (key: string, change: Partial<KeyRow> = {}): KeyRow => ({
  keyId: idOf(key),
  key,
  family: 'discours.topics',
  title: 'Topics',
  state: 'classified',
  params: {},
  type: 'string',
  ttlSeconds: 600,
  memoryBytes: 72,
  secret: false,
  sensitive: false,
  ...change,
});
type Page = Result<typeof keyContracts.list>;
const page = (items: KeyRow[], change: Partial<Page> = {}): Page => ({
  items,
  nextCursor: null,
  examined: 100,
  total: 100,
  ...change,
});

/** Globs are not evaluated: a search for one exact name finds it in `named`. */
const serve = (list: Page = page([keyRow('topics:1'), keyRow('topics:2')]), named: KeyRow[] = []): void => {
  api.answer(familyContracts.list, {
    items: FAMILIES,
    nextCursor: null,
    unclassified: 9,
    malformed: 2,
    countedAt: new Date().toISOString(),
    overlaps: [],
  });
  api.answer(keyContracts.list, ({ match }) =>
    match && !match.includes('*') ? page(named.filter(({ key }) => key === match)) : list,
  );
};

const open = (search = '', options: Parameters<typeof renderAt>[2] = { role: 'admin' }) =>
  renderAt(`/demo/keys${search}`, <Keys />, options);
const keysShown = () => rowsOf('Keys').map((row) => cellOf(row, 'Key'));
/** The filter of the last page, but not of the look-up of one name. */
const asked = () => api.asked(keyContracts.list).findLast(({ limit }) => limit !== 1);
const tree = async () => within(await screen.findByRole('tree', { name: 'Families' }));

it('filters by what the address says, and writes the filters there', { tags: 'long' }, async () => {
  serve();
  const { user, fill } = open('?q=top*&ttl=86400&min=2048');
  await waitFor(() => expect(keysShown()).toEqual(['topics:1', 'topics:2']));
  expect(asked()).toEqual({ match: 'top*', ttlBelowSeconds: 86_400, minBytes: 2048, limit: 100 });
  expect(screen.getByRole('combobox', { name: 'Minimum size' })).toHaveProperty(
    'value',
    expect.stringMatching(/^At least 2\sKiB$/),
  );
  await user.click(screen.getByRole('combobox', { name: 'Type' }));
  await user.click(await screen.findByRole('option', { name: 'zset' }));
  await waitFor(() => expect(asked()).toMatchObject({ type: 'zset' }));
  expect(window.location.search).toContain('type=zset');
  await user.click(screen.getByRole('combobox', { name: 'State' }));
  await user.click(await screen.findByRole('option', { name: 'Malformed' }));
  // Other text than a glob is a part of the name, and nothing that looks like a token leaves the field.
  await fill(screen.getByRole('searchbox'), 'topics:1');
  await waitFor(() => expect(asked()).toMatchObject({ match: '*topics:1*', state: 'malformed' }));
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLWEtdGVzdA';
  await fill(screen.getByRole('searchbox'), `session:1:${token}`);
  await user.keyboard('{Enter}');
  expect(window.location.search).not.toContain('eyJ');
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(window.location.search).toBe(''));
});

it('shows the key with exactly the searched name first, whatever the scan has found', {
  tags: ['long'],
}, async () => {
  const scanned = page([keyRow('topics:10')], { examined: 10, total: 1_000_000, nextCursor: 'more' });
  serve(scanned, [keyRow('topics:1')]);
  open('?q=topics:1&ttl=expiring');
  await waitFor(() => expect(keysShown()).toEqual(['topics:1', 'topics:10']));
});

it('scans on while rows are missing, says how far it is, stops and continues', { tags: 'long' }, async () => {
  serve();
  let pages = 0;
  api.answer(keyContracts.list, () => {
    pages += 1;
    return page(pages === 1 ? [keyRow('topics:1')] : [], {
      nextCursor: `page-${pages}`,
      examined: 1000,
      total: 1_000_000,
    });
  });
  const { user } = open('?type=stream');
  await screen.findByText('topics:1');
  // It pauses by itself, and the rows stay.
  await screen.findByText('Scanned 40,000 of 1,000,000 keys');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  await screen.findByRole('button', { name: 'Continue' });
  expect(keysShown()).toEqual(['topics:1']);
});

it('says why there is nothing: no match, or none so far', { tags: 'long' }, async () => {
  serve(page([]));
  const { unmount } = open('?type=stream');
  await screen.findByText('No key matches these filters.');
  unmount();
  serve(page([], { nextCursor: 'more' }));
  open('?type=list');
  await screen.findByText('No matching keys so far');
});

it('opens a family by its parameters, adds the counts up, pauses, and filters by what is chosen', {
  tags: 'long',
}, async () => {
  serve();
  let pages = 0;
  api.answer(keyContracts.groups, ({ params }) => {
    const base = { keys: 10, examined: 500, total: 1_000_000 };
    if (params === 'provider=google') {
      const groups = [{ value: '12', open: '12', keys: 10 }];
      return { ...base, param: 'user_id', groups, nextCursor: null };
    }
    pages += 1;
    const groups = [
      { value: 'google', open: 'google', keys: 4 },
      { value: 'vk', open: 'vk', keys: 6 },
    ];
    return { ...base, param: 'provider', groups, nextCursor: pages < 60 ? `page-${pages}` : null };
  });
  const { user } = open();
  const { findByRole, getByRole, queryByRole } = await tree();
  const oauth = await findByRole('treeitem', { name: 'OAuth tokens, 1,240 keys, guarded' });
  // By the keyboard: Tab leads into the tree once.
  getByRole('treeitem', { name: 'All keys' }).focus();
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowRight}');
  expect(document.activeElement).toBe(oauth);
  await findByRole('treeitem', { name: 'google, 160 keys' });
  const more = getByRole('treeitem', { name: 'Continue: 400 so far, 20,000 of 1,000,000 scanned' });
  await user.click(within(more).getByText('Continue'));
  await findByRole('treeitem', { name: 'google, 240 keys' });
  expect(queryByRole('treeitem', { name: /so far/ })).toBeNull();
  // The most keys of a page first; nothing moves when pages are added.
  const names = within(getByRole('group', { name: 'OAuth tokens by provider' }))
    .getAllByRole('treeitem')
    .map((item) => item.getAttribute('aria-label'));
  expect(names).toEqual(['vk, 360 keys', 'google, 240 keys', '2 branches, 600 keys']);
  // The focus was on the line that offered to continue.
  await user.keyboard('{ArrowUp}{ArrowRight}');
  await user.click(within(await findByRole('treeitem', { name: '12, 10 keys' })).getByText('12'));
  expect(new URLSearchParams(window.location.search).get('params')).toBe('provider=google&user_id=12');
  await waitFor(() =>
    expect(asked()).toEqual({ family: 'discours.oauth', params: 'provider=google&user_id=12', limit: 100 }),
  );
  expect(screen.getAllByTestId('chosen').map(textOf)).toEqual([
    'OAuth tokens',
    'provider: google',
    'user_id: 12',
  ]);
  await user.click(screen.getByRole('button', { name: 'Remove provider: google' }));
  await waitFor(() => expect(asked()).toEqual({ family: 'discours.oauth', limit: 100 }));
  await user.click(within(getByRole('treeitem', { name: 'Topics, 10 keys' })).getByText('Topics'));
  await waitFor(() => expect(asked()).toEqual({ family: 'discours.topics', limit: 100 }));
});

it('opens unclassified keys by prefix; what hides a secret cannot be chosen', {
  tags: ['long'],
}, async () => {
  serve();
  api.answer(keyContracts.groups, ({ prefix }) => ({
    param: null,
    keys: 7,
    examined: 100,
    total: 100,
    nextCursor: null,
    groups: prefix ? [{ value: 'job:•••', open: null, keys: 3 }] : [{ value: 'job:', open: 'job:', keys: 7 }],
  }));
  const { user } = open();
  const { findByRole } = await tree();
  const root = await findByRole('treeitem', { name: 'Unclassified, 7 keys' });
  root.focus();
  await user.keyboard('{ArrowRight}');
  const job = await findByRole('treeitem', { name: 'job:, 7 keys' });
  job.focus();
  await user.keyboard('{Enter}{ArrowRight}');
  await waitFor(() => expect(asked()).toEqual({ match: 'job:*', state: 'unclassified', limit: 100 }));
  const hidden = await findByRole('treeitem', { name: 'job:•••, 3 keys' });
  (await findByRole('treeitem', { name: 'Malformed, 2 keys' })).focus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(asked()).toEqual({ state: 'malformed', limit: 100 }));
  expect(hidden.getAttribute('aria-disabled')).toBe('true');
});

it('searches in what the tree has chosen beside the list', async () => {
  serve();
  api.answer(keyContracts.groups, () => ({
    param: null,
    keys: 7,
    examined: 100,
    total: 100,
    nextCursor: null,
    groups: [{ value: 'job:', open: 'job:', keys: 7 }],
  }));
  const { user } = open('?q=mail');
  const { findByRole } = await tree();
  (await findByRole('treeitem', { name: 'Topics, 10 keys' })).focus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(asked()).toEqual({ family: 'discours.topics', match: '*mail*', limit: 100 }));
  (await findByRole('treeitem', { name: 'Unclassified, 7 keys' })).focus();
  await user.keyboard('{ArrowRight}');
  (await findByRole('treeitem', { name: 'job:, 7 keys' })).focus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(asked()).toEqual({ state: 'unclassified', match: 'job:*mail*', limit: 100 }));
});

it('has the tree in a drawer on a phone, and the keys as cards', async () => {
  narrowPage();
  serve();
  const { user } = open();
  await screen.findByRole('list', { name: 'Keys' });
  await user.click(screen.getByRole('button', { name: 'Families' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Families' }));
  await user.click(await drawer.findByText('Topics'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(window.location.search).toContain('family=discours.topics');
});

const PREVIEW: Preview = {
  keys: 2,
  memoryBytes: 144,
  exact: true,
  error: null,
  byFamily: [],
  sample: [],
  hitRate: null,
  expectedMissesPerSecond: null,
  branches: [],
  needsSensitive: false,
  undo: { possible: true, keys: 2, bytes: 144, why: null, tooLarge: 0, hours: 24 },
};

const selectAll = async (user: ReturnType<typeof open>['user']) => {
  await rowWith('topics:1');
  await user.click(screen.getByRole('checkbox', { name: 'Select all loaded rows' }));
  return within(await screen.findByRole('region', { name: 'Actions for the selected rows' }));
};

it('deletes the selected keys as a job, once the preview has counted them', { tags: 'long' }, async () => {
  serve();
  api.answer(familyContracts.preview, PREVIEW);
  api.answer(familyContracts.invalidate, { jobId: JOB_ID, auditId: 'audit-1' });
  api.answer(jobContracts.get, jobOf({ action: 'keys.test' }));
  const { user, fill } = open();
  const bar = await selectAll(user);
  await user.click(bar.getByRole('button', { name: 'Delete 2 keys' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Delete keys' }));
  await drawer.findByText('2 keys');
  await fill(drawer.getByLabelText('Reason'), 'they are wrong');
  await user.click(drawer.getByRole('button', { name: 'Delete 2 keys' }));
  await waitFor(() => expect(window.location.search).toBe(`?job=${JOB_ID}`));
  expect(api.asked(familyContracts.invalidate)).toEqual([
    { keyIds: [idOf('topics:1'), idOf('topics:2')], withoutUndo: false, reason: 'they are wrong' },
  ]);
});

it('sets the TTL of the selected keys after a dry run', { tags: 'long' }, async () => {
  serve();
  const counts = {
    matched: 2,
    added: 1,
    shortened: 1,
    shorter: 0,
    vanished: 0,
    guarded: 0,
    undoUntil: null,
  };
  api.answer(familyContracts.preview, PREVIEW);
  api.answer(familyContracts.setTtl, { jobId: JOB_ID, auditId: 'audit-1' });
  api.answer(jobContracts.get, jobOf({ action: 'families.setTtl', result: { ...counts, dryRun: true } }));
  const { user } = open();
  const bar = await selectAll(user);
  await user.click(bar.getByRole('button', { name: 'Set TTL of 2 keys' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Set a TTL' }));
  await drawer.findByText('2 keys');
  await user.click(drawer.getByRole('button', { name: 'Count affected keys' }));
  await user.click(await drawer.findByRole('button', { name: 'Set the TTL of 2 keys' }));
  await waitFor(() => expect(window.location.search).toBe(`?job=${JOB_ID}`));
  expect(api.asked(familyContracts.setTtl).map(({ dryRun }) => dryRun)).toEqual([true, false]);
});

it('exports the selected keys to a file, and says what was left out and why', {
  tags: ['long'],
}, async () => {
  serve();
  api.answer(keyContracts.export, {
    file: '{"key":"dG9waWNzOjE"}\n',
    keys: 1,
    bytes: 21,
    auditId: 'audit-1',
    skipped: [{ key: 'topics:2', why: 'secret' }],
  });
  const { user } = open();
  const bar = await selectAll(user);
  await user.click(bar.getByRole('button', { name: 'Export 2 keys' }));
  const dialog = await screen.findByRole('dialog', { name: 'Export keys' });
  await user.click(within(dialog).getByRole('button', { name: 'Export 2 keys' }));
  await within(dialog).findByText('Saved 1 key, 21 B');
  expect(textOf(dialog)).toContain('topics:2 contains secrets');
  expect(files[0]?.name).toMatch(/^demo-keys-.*\.jsonl$/);
});

it('creates a key by the form of its family, and shows at the name that it exists', {
  tags: 'long',
}, async () => {
  serve();
  const { user, fill } = open('?family=discours.oauth');
  await screen.findByText('OAuth tokens', { selector: '[data-testid=chosen] *' });
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Create key' });
  const drawer = within(dialog);
  const verb = () => drawer.getByRole('button', { name: 'Create key' });
  await fill(drawer.getByLabelText('provider'), 'google');
  await fill(drawer.getByLabelText('user_id'), '12');
  expect(textOf(dialog)).toContain('oauth:google:12');
  expect(textOf(dialog)).toContain('decimal digits');
  // The documented type and TTL are set already.
  expect(drawer.getByRole('combobox', { name: 'Type' })).toHaveProperty('value', 'hash');
  expect(verb()).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText('Field 1'), 'scope');
  await fill(drawer.getByLabelText('Value 1'), 'email');
  await user.click(drawer.getByRole('button', { name: 'Add row' }));
  api.refuse(keyContracts.create, 'exists', 'A key with this name exists.');
  await user.click(verb());
  await drawer.findByText('A key with this name exists.');
  expect(drawer.queryByRole('alert')).toBeNull();
  await fill(drawer.getByLabelText('user_id'), '13');
  expect(drawer.queryByText('A key with this name exists.')).toBeNull();
  api.refuse(keyContracts.create, 'bad_input', 'Invalid.', {
    extensions: { errors: [{ path: 'params.provider', message: 'Not a word.' }] },
  });
  await user.click(verb());
  await drawer.findByText('Not a word.');
  const undoUntil = new Date(Date.now() + 3_600_000).toISOString();
  api.answer(keyContracts.create, {
    keyId: idOf('oauth:google:13'),
    key: 'oauth:google:13',
    etag: 'e',
    auditId: 'audit-1',
    undoUntil,
  });
  await user.click(verb());
  const created = await screen.findByTestId('created');
  expect(within(created).getByRole('link').getAttribute('href')).toBe(
    `/demo/keys/${idOf('oauth:google:13')}`,
  );
  await screen.findByRole('button', { name: 'Undo' });
  expect(api.asked(keyContracts.create).at(-1)).toEqual({
    family: 'discours.oauth',
    params: { provider: 'google', user_id: '13' },
    value: { type: 'hash', fields: [{ field: { text: 'scope' }, value: { text: 'email' } }] },
    ttlSeconds: 3600,
  });
});

it('creates a key by a free name, checks JSON, and refuses a score that is no number', {
  tags: 'long',
}, async () => {
  serve();
  api.answer(keyContracts.create, {
    keyId: idOf('a'),
    key: 'a',
    etag: 'e',
    auditId: 'audit-1',
    undoUntil: null,
  });
  const { user, fill } = open();
  await user.click(await screen.findByRole('button', { name: 'Create key' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Create key' }));
  const verb = () => drawer.getByRole('button', { name: 'Create key' });
  await user.click(drawer.getByText('Free name'));
  await fill(drawer.getByLabelText('Key name'), 'a');
  await fill(drawer.getByLabelText('Value'), '{"a": 1');
  await drawer.findByText(/^Not valid JSON/);
  await fill(drawer.getByLabelText('Value'), '{"a": 1}');
  await drawer.findByText('Valid JSON');
  await user.click(drawer.getByRole('combobox', { name: 'Type' }));
  await user.click(await screen.findByRole('option', { name: 'zset' }));
  await fill(drawer.getByLabelText('Value 1'), 'member');
  await fill(drawer.getByLabelText('Score 1'), 'high');
  await drawer.findByText('Not a number');
  expect(verb()).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText('Score 1'), '-1.5e3');
  await user.click(verb());
  await waitFor(() => expect(api.asked(keyContracts.create)).toHaveLength(1));
  expect(api.asked(keyContracts.create)[0]).toEqual({
    name: { text: 'a' },
    value: { type: 'zset', members: [{ member: { text: 'member' }, score: '-1.5e3' }] },
    ttlSeconds: null,
  });
});

it('imports a file after a table of what would happen, and shows what was read back', {
  tags: ['long'],
}, async () => {
  serve();
  const row = (
    line: number,
    status: 'new' | 'exists' | 'replace' | 'restored' | 'refused',
    reason?: string,
  ) => ({
    line,
    key: `topics:${line}`,
    family: 'discours.topics',
    type: 'string',
    status,
    reason: reason ?? null,
  });
  api.answer(keyContracts.import, ({ dryRun, replace }) => ({
    rows: dryRun
      ? [row(1, 'new'), row(2, replace ? 'replace' : 'exists'), row(3, 'refused', 'The checksum is wrong.')]
      : [row(1, 'restored'), row(2, 'restored'), row(3, 'refused', 'The checksum is wrong.')],
    restored: dryRun ? 0 : 2,
    auditId: dryRun ? null : 'audit-1',
    undoUntil: null,
  }));
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Import' }));
  const dialog = await screen.findByRole('dialog', { name: 'Import keys' });
  const drawer = within(dialog);
  const input = dialog.querySelector<HTMLInputElement>('input[type=file]')!;
  await user.upload(input, new File(['{"key":1}\n'], 'keys.jsonl'));
  await drawer.findByText('3 keys in the file');
  expect(textOf(dialog)).toContain('The checksum is wrong.');
  drawer.getByRole('button', { name: 'Restore 1 key' });
  await user.click(drawer.getByRole('switch', { name: /^Replace existing keys/ }));
  await user.click(await drawer.findByRole('button', { name: 'Restore 2 keys' }));
  await drawer.findByText('2 keys restored, read back');
  expect(drawer.getByRole('button', { name: 'Nothing to restore' })).toHaveProperty('disabled', true);
  expect(api.asked(keyContracts.import)).toMatchObject([
    { dryRun: true, replace: false },
    { dryRun: true, replace: true },
    { dryRun: false, replace: true, file: '{"key":1}\n' },
  ]);
});

it.each(['support', 'product'] as const)('shows keys but no change to %s', async (role) => {
  serve();
  open('', { role });
  await rowWith('topics:1');
  expect(screen.queryByRole('button', { name: /Create key|Import/ })).toBeNull();
  expect(screen.queryByRole('checkbox')).toBeNull();
});

it('says why a read-only connection accepts no change', { tags: ['long'] }, async () => {
  serve();
  api.answer(familyContracts.preview, PREVIEW);
  const { user } = open('', { connection: { readOnly: true } });
  const bar = await selectAll(user);
  await user.click(bar.getByRole('button', { name: 'Delete 2 keys' }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete keys' });
  await within(dialog).findByText('2 keys');
  expect(textOf(dialog)).toContain('read-only');
  expect(within(dialog).getByRole('button', { name: 'Delete 2 keys' })).toHaveProperty('disabled', true);
});

it('links to each key, marks secrets, and cuts long names', { tags: ['long'] }, async () => {
  const long = `topics:${'x'.repeat(300)}`;
  serve(
    page([
      keyRow('session:1:•••', { keyId: 's.sealed', secret: true, sensitive: true }),
      keyRow(long, { ttlSeconds: null, state: 'unclassified', family: null, title: null }),
    ]),
  );
  const { user } = open();
  const row = await rowWith('session:1:');
  expect(within(row).getByRole('link').getAttribute('href')).toBe('/demo/keys/s.sealed');
  within(row).getByText('secret');
  const other = await rowWith('topics:');
  expect([cellOf(other, 'Family'), cellOf(other, 'TTL')]).toEqual(['Unclassified', 'none']);
  expect(cellOf(other, 'Key')).toContain('107 more characters');
  within(other).getByTitle(long);
  await user.click(within(row).getByText('string'));
  expect(window.location.pathname).toBe('/demo/keys/s.sealed');
});

it('shows why a key cannot be changed together with others', { tags: ['long'] }, async () => {
  serve();
  api.answer(familyContracts.preview, () => {
    throw badInput([{ path: 'keyIds[1]', message: 'The name of this key is too long.' }]);
  });
  const { user } = open();
  const bar = await selectAll(user);
  await user.click(bar.getByRole('button', { name: 'Delete 2 keys' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Delete keys' }));
  await drawer.findByText('The name of this key is too long.');
  expect(drawer.getByRole('button', { name: 'Delete keys' })).toHaveProperty('disabled', true);
});
