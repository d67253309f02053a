import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import CatalogOfConnection from '@/app/(console)/[connection]/catalog/page';
import { type Catalog, type CatalogFamily, catalogContracts, type Inference } from '@/lib/catalog/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { type WalkCost, walkContracts } from '@/lib/walk/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';
import { rowWith } from '@/scripts/testing/table';

const api = fakeApi();

const WALK: WalkCost = {
  startedAt: '2026-07-01T10:00:00.000Z',
  finishedAt: '2026-07-01T10:00:04.100Z',
  parts: ['census', 'analysis'],
  keys: 1_000_000,
  vanished: 0,
  calls: 2000,
  serverMs: 1200,
  byScript: false,
  reason: 'its user may not use EVAL_RO',
};

const family = (id: string, change: Partial<CatalogFamily> = {}): CatalogFamily => ({
  id,
  app: id.split('.')[0]!,
  title: `Title of ${id}`,
  purpose: 'For a test.',
  pattern: `${id}:{id}`,
  type: 'hash',
  otherTypes: [],
  ttl: '1 h',
  role: null,
  parts: [],
  identifyingFields: [],
  related: [],
  sensitive: { params: [], fields: [], value: false },
  cache: false,
  guarded: false,
  keys: 0,
  source: null,
  shadowedBy: null,
  ...change,
});

const FAMILIES = [
  family('discours.session', { role: 'session', keys: 4, shadowedBy: 'shop.session' }),
  family('shop.session', {
    role: 'session',
    keys: 900,
    source: 'shop.yaml',
    guarded: true,
    parts: [{ name: 'userId', from: 'field', of: 'user_id' }],
    sensitive: { params: ['id'], fields: ['secret'], value: false },
    related: ['shop.cart'],
  }),
  family('shop.cart', { role: 'cache', cache: true, keys: 69, source: 'shop.yaml' }),
];

const BUILT_IN = { file: null, app: 'discours', families: 1, loadedAt: null, inForce: true, problems: [] };
const NOW = new Date().toISOString();

const catalog = (change: Partial<Catalog> = {}): Catalog => ({
  families: FAMILIES,
  entities: [],
  coverage: {
    keys: 1000,
    classified: 973,
    unclassified: 25,
    malformed: 2,
    countedAt: NOW,
    current: true,
  },
  unclassified: [
    { prefix: 'inv:item:', keys: 20, sample: ['inv:item:1', 'inv:item:•••', 'inv:item:•••'] },
    { prefix: '', keys: 3, sample: ['theme'] },
  ],
  overlaps: [{ families: ['shop.cart', 'shop.session'], example: 'cart:1', winner: 'shop.cart' }],
  drift: [
    { family: 'shop.cart', what: 'type', documented: 'set', found: 'zset', keys: 412, of: 412 },
    { family: 'shop.cart', what: 'ttl', documented: '1 h', found: 'no TTL', keys: 1, of: 69 },
    { family: 'shop.session', what: 'field', documented: 'user_id', found: 'missing', keys: 2, of: 20 },
  ],
  sources: [BUILT_IN, { ...BUILT_IN, file: 'shop.yaml', app: 'shop', families: 2, loadedAt: NOW }],
  ...change,
});

const open = (
  search: string,
  answer: Partial<Catalog> = {},
  options: Parameters<typeof renderAt>[2] = { role: 'product' },
) => {
  api.answer(catalogContracts.get, catalog(answer));
  api.answer(walkContracts.get, { last: WALK, running: null });
  return renderAt(`/demo/catalog${search}`, <CatalogOfConnection />, options);
};

it('shows the coverage with its figures, and families with what they are', { tags: ['long'] }, async () => {
  const { user } = open('');
  const tiles = await screen.findByRole('region', { name: 'Coverage' });
  await within(tiles).findByText('97.3% of keys are classified');
  expect(textOf(tiles)).toContain('973 of 1,000');
  expect(textOf(tiles)).toContain('2 sources');
  const walk = await screen.findByText(/1,000,000 keys in 4\.1.s, using 1\.2.s of server time/);
  expect(textOf(walk)).toMatch(/shared by the key count and the analysis. Read without scripts/);
  const row = await rowWith('Title of shop.session');
  expect(textOf(row)).toContain('900');
  // Product has no sessions page.
  expect(within(row).queryByRole('link', { name: 'session' })).toBeNull();
  const cart = await rowWith('Title of shop.cart');
  const role = within(cart).getByRole('link', { name: 'cache' });
  expect(role.getAttribute('href')).toBe('/demo/families?only=caches');
  within(cart).getByRole('img', { name: /Differs from the catalog/ });
  await user.click(within(row).getByRole('button', { name: 'Title of shop.session' }));
  const dialog = await screen.findByRole('dialog', { name: 'Title of shop.session' });
  expect(window.location.search).toBe('?family=shop.session');
  for (const text of ['shop.yaml', 'userId: field user_id', 'parameter id, field secret', 'guarded'])
    expect(textOf(dialog)).toContain(text);
  expect(textOf(dialog)).toContain('Field user_id, missing in 2 of 20 examined');
  const keys = within(dialog).getByRole('link', { name: 'View keys' });
  expect(keys.getAttribute('href')).toBe('/demo/keys?family=shop.session');
});

it('links a role to its page, unless another family has the role', async () => {
  open('?q=session', {}, { role: 'support' });
  const shop = await rowWith('Title of shop.session');
  expect(within(shop).getByRole('link', { name: 'session' }).getAttribute('href')).toBe('/demo/sessions');
  const shadowed = await rowWith('Title of discours.session');
  expect(textOf(shadowed)).toContain('not in use');
  expect(within(shadowed).queryByRole('link')).toBeNull();
  expect(screen.queryByText('Title of shop.cart')).toBeNull();
});

it('says when nothing was counted yet, and when the catalog changed since', { tags: ['long'] }, async () => {
  const none = { keys: null, classified: null, unclassified: null, malformed: null, countedAt: null };
  const { unmount } = open('?tab=unclassified', { coverage: { ...none, current: false }, unclassified: [] });
  await screen.findByText('Coverage not counted yet');
  await screen.findByText(/unclassified keys are listed when it ends/);
  unmount();
  open('?tab=drift', { coverage: { ...catalog().coverage, current: false }, drift: [] });
  await screen.findByText(/with the catalog before; a new count is running/);
  await screen.findByText('No drift');
});

const PROPOSED: Inference = {
  families: [
    {
      id: 'inv-item',
      pattern: 'inv:item:{id}',
      type: 'hash',
      ttl: 'any',
      keys: 20,
      examples: ['inv:item:1'],
    },
  ],
  coverage: { unclassified: 20, classified: 19, scanned: 1000, complete: true },
  yaml: 'app: demo\nfamilies:\n  - { id: inv-item }\n',
};

it('proposes families for one prefix, with the file', { tags: ['long'] }, async () => {
  api.answer(catalogContracts.infer, { jobId: JOB_ID, auditId: 'audit-1' });
  api.answer(jobContracts.get, jobOf({ action: 'catalog.infer', result: { ...PROPOSED } }));
  // Nothing is changed, so a read-only connection allows it.
  const { user } = open('?tab=unclassified', {}, { role: 'product', connection: { readOnly: true } });
  await screen.findByText(/^2 more keys begin otherwise. 2 keys are malformed/);
  const rest = await screen.findByRole('link', { name: '(no common beginning)' });
  expect(rest.getAttribute('href')).toBe('/demo/keys?state=unclassified');
  const keys = screen.getByRole('link', { name: 'inv:item:' });
  expect(keys.getAttribute('href')).toBe('/demo/keys?state=unclassified&prefix=inv%3Aitem%3A');
  await user.click(await screen.findByRole('button', { name: 'Propose a family for inv:item:' }));
  const dialog = await screen.findByRole('dialog', { name: 'Proposed families' });
  await within(dialog).findByText('1 family classifies 95.0% of 20 unclassified keys');
  expect(textOf(dialog)).toContain('inv:item:{id}');
  expect(within(dialog).getByTestId('catalog-file').textContent).toBe(PROPOSED.yaml);
  within(dialog).getByRole('button', { name: 'Copy' });
  within(dialog).getByRole('button', { name: 'Download' });
  expect(api.asked(catalogContracts.infer)).toEqual([{ prefixes: ['inv:item:'] }]);
  await waitFor(() => expect(window.location.search).toBe(`?tab=unclassified&job=${JOB_ID}`));
});

it('opens the job that examines the same keys already', async () => {
  api.refuse(catalogContracts.infer, 'conflict', 'The same job is already running.', {
    extensions: { jobId: JOB_ID },
  });
  const nothing = { families: [], yaml: '', coverage: { ...PROPOSED.coverage, classified: 0 } };
  api.answer(jobContracts.get, jobOf({ action: 'catalog.infer', result: nothing }));
  const { user } = open('?tab=unclassified');
  const proposeAll = await screen.findByRole('button', { name: 'Propose families for all' });
  await waitFor(() => expect(proposeAll).toHaveProperty('disabled', false));
  await user.click(proposeAll);
  await screen.findByText('No family can be proposed');
});

it('offers a viewer no proposals', async () => {
  open('?tab=unclassified', {}, { role: 'viewer' });
  await rowWith('inv:item:');
  expect(screen.queryByRole('link', { name: 'inv:item:' })).toBeNull();
  expect(screen.queryByRole('button', { name: /Propose/ })).toBeNull();
});

it('says in words what differs, and which family gets a key of two', { tags: ['long'] }, async () => {
  const { user } = open('?tab=drift');
  await screen.findByText('Documented as set, 412 of 412 are zsets');
  await screen.findByText('TTL of 1 h, 1 of 69 has none');
  await user.click(screen.getByRole('tab', { name: 'Overlaps' }));
  const row = await rowWith('cart:1');
  expect(textOf(row)).toContain('shop.cart');
  await user.click(screen.getByRole('tab', { name: 'Entities' }));
  await screen.findByText('No entities');
});

it('says what belongs to an entity, and lists one kind of two applications twice', async () => {
  const user = {
    kind: 'user',
    app: 'videos',
    title: 'User',
    facts: [],
    branches: [{ id: 'user', title: 'User', target: 'v_{id}' }],
    record: ['v_{id}'],
    relations: [
      {
        id: 'follows',
        title: 'Follows',
        kind: 'user',
        from: 'members' as const,
        of: ['follows_{id}', 'follows_{alias}'],
      },
      { id: 'words', title: 'Interests', kind: null, from: 'members' as const, of: ['words_{id}'] },
      { id: 'team', title: 'Team', kind: 'team', from: 'field' as const, of: ['TeamID'] },
    ],
    conversation: [],
  };
  const chat = {
    ...user,
    kind: 'chat',
    title: 'Chat',
    branches: [],
    record: [],
    relations: [
      { id: 'people', title: 'Participants', kind: 'user', from: 'parts' as const, of: ['low', 'high'] },
    ],
    conversation: ['chat_{low}_{high}'],
  };
  open('?tab=entities', { entities: [user, { ...user, app: 'social', relations: [] }, chat] });
  const ofChat = textOf(await rowWith('Chat'));
  const rows = screen.getAllByRole('row');
  expect(rows.filter((row) => textOf(row).startsWith('User'))).toHaveLength(2);
  const [ofVideos] = rows.filter((row) => textOf(row).includes('videos')).map(textOf);
  expect(ofVideos).toContain('Follows → User follows_{id} follows_{alias}');
  expect(ofVideos).toContain('Interests words_{id}');
  expect(ofVideos).toContain('Team → team field TeamID');
  expect(ofChat).toContain('Participants → User parts of the id low high');
  expect(ofChat).toContain('Messages chat_{low}_{high}');
});

it('names the problems of a file by line, and which version is in force', async () => {
  const problems = [
    { line: 6, column: 45, path: 'families[1].type', message: 'found "heap", expected one of string, hash' },
  ];
  const file = { ...BUILT_IN, app: 'shop', families: 2, loadedAt: NOW, inForce: false };
  const { unmount } = open('?tab=sources', {
    sources: [
      BUILT_IN,
      { ...file, file: 'shop.yaml', problems },
      { ...file, file: 'other.yaml' },
      { ...file, file: 'new.yaml', app: '', families: 0, loadedAt: null, problems },
    ],
  });
  await screen.findByText('last good version in force');
  const alerts = screen.getAllByRole('status').map(textOf).join(' ');
  expect(alerts).toMatch(/Its last good version, read .*, stays in force/);
  expect(alerts).toMatch(/files are checked together, so the version read .* stays in force/);
  expect(alerts).toContain('none of its families are in force');
  const table = await screen.findByRole('table', { name: 'Problems in shop.yaml' });
  expect(textOf(table)).toContain('6:45');
  expect(textOf(table)).toContain('found "heap"');
  const schema = screen.getByRole('link', { name: 'JSON Schema for editors' });
  expect(schema.getAttribute('href')).toBe('/catalog.schema.json');
  unmount();
  open('?tab=sources', { sources: [BUILT_IN] });
  await screen.findByText('No file of your own yet');
});
