import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Families from '@/app/(console)/[connection]/families/page';
import { badInput } from '@/lib/errors';
import { type FamilyRow, familyContracts, type Preview } from '@/lib/families/schema';
import { hitRateContracts } from '@/lib/hit-rates/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { entityKindOf } from '@/scripts/testing/entity-kinds';
import { fakeApi } from '@/scripts/testing/fake-api';
import { familyRow } from '@/scripts/testing/family-row';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { pointOf, rowOf } from '@/scripts/testing/rate-row';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();

const family = (id: string, title: string, pattern: string, change: Partial<FamilyRow> = {}): FamilyRow =>
  familyRow(`discours.${id}`, {
    title,
    purpose: `What ${title} are for`,
    pattern,
    types: { string: 10 },
    params: ['id'],
    ...change,
  });

const FAMILIES = [
  family('shouts', 'Publications', 'shouts:{params}', { params: ['params'], pairs: 'params' }),
  family('author-slug', 'Authors by slug', 'author:slug:{slug}', { params: ['slug'] }),
  family('topic-authors', 'Authors of topics', 'topic:authors:{id}', {
    types: { zset: 412 },
    drift: [
      {
        family: 'discours.topic-authors',
        what: 'type',
        documented: 'string',
        found: 'zset',
        keys: 412,
        of: 412,
      },
    ],
  }),
  family('session', 'Sessions', 'session:{user}:{token}', { cache: false, guarded: true, params: [] }),
];

const preview = (change: Partial<Preview> = {}): Preview => ({
  keys: 40,
  memoryBytes: 4000,
  exact: true,
  error: null,
  byFamily: [],
  sample: [],
  hitRate: null,
  expectedMissesPerSecond: null,
  undo: { possible: true, keys: 40, bytes: 4000, why: null, tooLarge: 0, hours: 24 },
  branches: [],
  needsSensitive: false,
  ...change,
});

const NO_RATES = {
  families: [],
  notAttributed: { hits: 0, misses: 0, share: null, reasons: [] },
  windows: { taken: 0, cutShort: 0, seconds: 0, askedSeconds: 0, cuts: [] },
  instance: { label: 'instance' as const, points: [], hits: 0, misses: 0, hitRate: null },
  application: null,
  events: [],
  stepSeconds: 60,
};

const serve = (): void => {
  api.answer(familyContracts.list, {
    items: FAMILIES,
    nextCursor: null,
    unclassified: 0,
    malformed: 0,
    countedAt: new Date().toISOString(),
    overlaps: [],
  });
  api.answer(hitRateContracts.get, NO_RATES);
  const none = { memoryBytes: null, averageKeyBytes: null, averageTtlSeconds: null, averageAgeSeconds: null };
  api.answer(familyContracts.ttl, ({ family: id }) => ({
    family: id,
    title: id,
    countedAt: null,
    keys: null,
    withTtl: null,
    withoutTtl: null,
    ...none,
    remaining: [],
    expiries: [],
    together: null,
  }));
  api.answer(jobContracts.get, jobOf({ action: 'families.setTtl' }));
  api.answer(familyContracts.invalidate, { jobId: JOB_ID, auditId: 'audit-1' });
};

const open = (search: string, options: Parameters<typeof renderAt>[2] = { role: 'product' }) => {
  serve();
  return renderAt(`/demo/families${search}`, <Families />, options);
};
const drawer = async () => {
  const dialog = await screen.findByRole('dialog');
  const verb = () => within(dialog).getByRole('button', { name: /^Invalidate( (about )?[\d,]+ keys?)?$/ });
  return { dialog, verb, ...within(dialog) };
};

it('counts what is named before it offers to delete it, and keeps it in the address', {
  tags: ['long'],
}, async () => {
  api.answer(familyContracts.preview, ({ params }) =>
    preview({
      keys: params ? 40 : 1000,
      sample: [{ key: 'topic:authors:8800001', keyId: null, family: 'discours.topic-authors' }],
    }),
  );
  const { fill, user } = open('?do=invalidate&family=discours.topic-authors');
  const { dialog, verb, getByRole, getByLabelText, findByText } = await drawer();
  await findByText('1,000 keys');
  await fill(getByRole('textbox', { name: 'id' }), '88*');
  await findByText('40 keys');
  expect(textOf(dialog)).toContain('topic:authors:8800001');
  expect(textOf(dialog)).toContain('Undo available for 24 h: 40 keys are stored');
  expect(window.location.search).toContain('params=id%3D88*');
  await fill(getByLabelText('Reason'), 'a part of a family');
  await user.click(verb());
  await waitFor(() => expect(window.location.search).toBe(`?job=${JOB_ID}`));
  await screen.findByRole('dialog', { name: 'Job' });
  expect(api.asked(familyContracts.invalidate)).toEqual([
    {
      family: 'discours.topic-authors',
      params: { id: '88*' },
      withoutUndo: false,
      reason: 'a part of a family',
    },
  ]);
});

it('begins again from the address', async () => {
  api.answer(familyContracts.preview, preview());
  open('?do=invalidate&family=discours.shouts&params=params%3Dauthor%253D70*');
  const { getByRole } = await drawer();
  expect(getByRole('textbox', { name: 'params' })).toHaveProperty('value', 'author=70*');
  await waitFor(() =>
    expect(api.asked(familyContracts.preview)).toContainEqual({
      family: 'discours.shouts',
      params: { author: '70*' },
    }),
  );
});

it('names exact keys by their bytes, and leaves them out of the address', { tags: ['long'] }, async () => {
  api.answer(familyContracts.preview, preview({ keys: 1 }));
  const { user, fill } = open('');
  await user.click(await screen.findByRole('button', { name: 'Invalidate by entity, pattern or keys…' }));
  const { getByText, getByRole, findByText } = await drawer();
  await user.click(getByText('Exact keys'));
  await fill(getByRole('textbox', { name: 'Keys' }), 'author:slug:e2e-\\xff\\xfe');
  await findByText('1 key');
  await user.click(getByRole('button', { name: 'Invalidate 1 key' }));
  const bytes = [...new TextEncoder().encode('author:slug:e2e-'), 0xff, 0xfe];
  const keyId = Buffer.from(bytes).toString('base64url');
  await waitFor(() =>
    expect(api.asked(familyContracts.invalidate)).toEqual([{ keyIds: [keyId], withoutUndo: false }]),
  );
});

it('opens the job that is already changing these keys', { tags: ['long'] }, async () => {
  api.answer(familyContracts.preview, preview());
  const { user } = open('?do=invalidate&family=discours.topic-authors');
  const { verb, findByText, findByRole } = await drawer();
  api.refuse(familyContracts.invalidate, 'conflict', 'Another job is changing these keys.', {
    extensions: { jobId: JOB_ID },
  });
  await findByText('40 keys');
  await user.click(verb());
  await findByText('Another job is already changing these keys.');
  await user.click(await findByRole('button', { name: 'View job' }));
  await waitFor(() => expect(window.location.search).toBe(`?job=${JOB_ID}`));
});

it('asks for the id of a production connection', { tags: ['long'] }, async () => {
  api.answer(familyContracts.preview, preview());
  const production = { id: 'live', environment: 'production' } as const;
  const { fill } = open('?do=invalidate&family=discours.shouts', { role: 'product', connection: production });
  const { verb, getByLabelText, findByText } = await drawer();
  await findByText('40 keys');
  expect(verb()).toHaveProperty('disabled', true);
  await fill(getByLabelText(/type live to confirm/), 'liv');
  expect(verb()).toHaveProperty('disabled', true);
  await fill(getByLabelText(/type live to confirm/), 'live');
  expect(verb()).toHaveProperty('disabled', false);
});

it('offers product no guarded family', async () => {
  const { user } = open('?family=discours.session');
  const { dialog, queryByRole } = await drawer();
  expect(textOf(dialog)).toContain('Guarded');
  expect(queryByRole('button', { name: /^Invalidate/ })).toBeNull();
  await user.keyboard('{Escape}');
  await screen.findByRole('button', { name: 'Invalidate Publications' });
  expect(screen.queryByRole('button', { name: 'Invalidate Sessions' })).toBeNull();
});

it('refuses what is guarded in words to who may not', { tags: ['long'] }, async () => {
  api.refuse(
    familyContracts.preview,
    'forbidden',
    'Some keys are guarded: it needs caches:invalidate-sensitive.',
  );
  open('?do=invalidate&by=pattern&pattern=lock:e2e:*');
  const { verb, findByText } = await drawer();
  const title = await findByText('Your role does not allow this');
  expect(textOf(title.closest('[role=alert]'))).toContain('it needs caches:invalidate-sensitive');
  expect(verb()).toHaveProperty('disabled', true);
});

it('warns an admin of keys that are no cache', async () => {
  const guarded = { family: 'hawk.lock', title: 'Locks', keys: 1, sensitive: true, cache: false };
  api.answer(familyContracts.preview, preview({ keys: 1, needsSensitive: true, byFamily: [guarded] }));
  open('?do=invalidate&by=pattern&pattern=lock:e2e:*', { role: 'admin' });
  const { dialog, findByText, getAllByRole } = await drawer();
  await findByText('These keys are not a cache');
  expect(textOf(dialog)).toContain('Locks: users may be signed out');
  expect(getAllByRole('listitem').map(textOf)).toContainEqual(expect.stringMatching(/1 key.*guarded/));
});

it('deletes what is not kept for undo only when that is agreed to', { tags: ['long'] }, async () => {
  const undo = { possible: false, keys: 2600, bytes: 4000, why: 'keys' as const, tooLarge: 0, hours: 24 };
  api.answer(familyContracts.preview, preview({ keys: 2600, undo }));
  const { user } = open('?do=invalidate&family=discours.topic-authors');
  const { dialog, verb, findByRole } = await drawer();
  const agree = await findByRole('checkbox', { name: 'Delete without undo' });
  expect(textOf(dialog)).toContain('This cannot be undone');
  expect(textOf(dialog)).toContain('more keys than Keyward stores');
  expect(verb()).toHaveProperty('disabled', true);
  await user.click(agree);
  await user.click(verb());
  await waitFor(() => expect(api.asked(familyContracts.invalidate)).toMatchObject([{ withoutUndo: true }]));
});

it('refuses a pattern at its field', { tags: 'long' }, async () => {
  api.answer(familyContracts.preview, ({ pattern }) => {
    if (pattern === 'topic:followers:55*') return preview({ keys: 12 });
    throw badInput([{ path: 'pattern', message: `${pattern} reaches nearly everything.` }]);
  });
  const { fill } = open('?do=invalidate&by=pattern');
  const { verb, getByRole, findByText } = await drawer();
  const field = getByRole('textbox', { name: 'Pattern' });
  for (const pattern of ['*', '[a-z]*:*']) {
    await fill(field, pattern);
    const error = await findByText(`${pattern} reaches nearly everything.`);
    expect(field.getAttribute('aria-describedby')).toContain(error.id);
    expect(verb()).toHaveProperty('disabled', true);
  }
  await fill(field, 'topic:followers:55*');
  await findByText('12 keys');
  expect(getByRole('button', { name: 'Invalidate 12 keys' })).toHaveProperty('disabled', false);
  expect(window.location.search).toContain('pattern=topic');
});

it('shows what an entity touches as branches, which can be left out, marked where they reach more', {
  tags: ['long'],
}, async () => {
  const branch = (id: string, title: string, change: Partial<Preview['branches'][number]> = {}) => ({
    id,
    title,
    keys: 1,
    included: true,
    wider: false,
    known: true,
    ...change,
  });
  const branches = [
    branch('author-id', 'Author'),
    branch('author-slug', 'Author by slug', { keys: 0, known: false }),
    branch('author-followers', 'Followers'),
    branch('authored', 'Authored', { wider: true, keys: 2 }),
  ];
  api.answer(familyContracts.preview, ({ entity }) => preview({ keys: entity?.branches ? 3 : 4, branches }));
  const { user, fill } = open('?do=invalidate&by=entity');
  const { getByRole, findByText, getAllByRole } = await drawer();
  await fill(getByRole('textbox', { name: 'Id' }), '900');
  await findByText('4 keys');
  const item = (name: string) =>
    within(getAllByRole('listitem').find((item) => textOf(item).startsWith(name))!);
  item('Author by slug').getByText(/Its key cannot be determined/);
  expect(item('Author by slug').getByRole('checkbox')).toHaveProperty('disabled', true);
  item('Authored').getByText(/Reaches more than this entity/);
  await user.click(item('Followers').getByRole('checkbox'));
  await findByText('3 keys');
  expect(window.location.search).toContain('without=2');
  await user.click(getByRole('button', { name: 'Invalidate 3 keys' }));
  await waitFor(() =>
    expect(api.asked(familyContracts.invalidate)).toMatchObject([
      { entity: { kind: 'author', id: '900', branches: ['author-id', 'author-slug', 'authored'] } },
    ]),
  );
});

it('offers the entities that a rule invalidates, with their application where several have the kind', {
  tags: 'long',
}, async () => {
  api.answer(familyContracts.preview, preview({ keys: 4 }));
  const entities = [
    entityKindOf('user', 'User', 'social'),
    { ...entityKindOf('chat', 'Chat', 'social'), invalidates: false },
    entityKindOf('user', 'User', 'videos'),
    entityKindOf('video', 'Video', 'videos'),
  ];
  const { user, fill } = open('?do=invalidate&by=entity&entity=videos.user', {
    role: 'product',
    connection: { entities },
  });
  const { getByRole, findByText } = await drawer();
  const select = getByRole('combobox', { name: 'What changed' });
  await waitFor(() => expect(select).toHaveProperty('value', 'User (videos)'));
  await user.click(select);
  const options = await screen.findAllByRole('option');
  expect(options.map(textOf)).toEqual(['User (social)', 'User (videos)', 'Video']);
  await fill(getByRole('textbox', { name: 'Id' }), '7');
  await findByText('4 keys');
  expect(api.asked(familyContracts.preview).at(-1)).toMatchObject({
    entity: { kind: 'videos.user', id: '7' },
  });
  await user.click(options[2]!);
  await waitFor(() =>
    expect(api.asked(familyContracts.preview).at(-1)).toMatchObject({ entity: { kind: 'video', id: '7' } }),
  );
});

it('counts what a TTL would change before it is given, and warns without jitter', {
  tags: 'long',
}, async () => {
  api.answer(familyContracts.preview, preview({ keys: 70 }));
  const counts = { matched: 70, added: 60, shortened: 0, shorter: 10, vanished: 0, guarded: 0 };
  api.answer(familyContracts.setTtl, { jobId: JOB_ID, auditId: 'audit-1' });
  const { user, fill } = open('?do=ttl&family=discours.topic-authors');
  api.answer(
    jobContracts.get,
    jobOf({ action: 'families.setTtl', result: { ...counts, dryRun: true, undoUntil: null } }),
  );
  const { dialog, getByRole, getByLabelText, findByText, findByTestId, findByRole } = await drawer();
  await findByText('70 keys');
  await fill(getByLabelText('Jitter'), '0');
  await waitFor(() => expect(textOf(dialog)).toContain('a wave of misses'));
  await fill(getByLabelText('TTL'), '2');
  await fill(getByLabelText('Jitter'), '30');
  await waitFor(() =>
    expect(textOf(dialog)).toContain('They expire between 2 h and 2 h 30 min after the job'),
  );
  await user.click(getByRole('button', { name: 'Count affected keys' }));
  const dryRun = await findByTestId('dry-run');
  expect(textOf(dryRun)).toContain('60 have no TTL and get one');
  expect(textOf(dryRun)).toContain('10 already expire sooner and are unchanged');
  await user.click(await findByRole('button', { name: 'Set the TTL of 60 keys' }));
  await waitFor(() => expect(window.location.search).toBe(`?job=${JOB_ID}`));
  expect(api.asked(familyContracts.setTtl)).toEqual(
    [true, false].map((dryRun) => ({
      family: 'discours.topic-authors',
      ttlSeconds: 7200,
      jitterSeconds: 1800,
      dryRun,
    })),
  );
});

it('offers another count after one that failed', { tags: ['long'] }, async () => {
  api.answer(familyContracts.preview, preview({ keys: 70 }));
  api.answer(familyContracts.setTtl, { jobId: JOB_ID, auditId: 'audit-1' });
  const { user } = open('?do=ttl&family=discours.topic-authors');
  const failed = {
    action: 'families.setTtl',
    state: 'failed',
    result: null,
    error: 'The server is full.',
  } as const;
  api.answer(jobContracts.get, jobOf(failed));
  const { findByRole, findByText } = await drawer();
  await findByText('70 keys');
  await user.click(await findByRole('button', { name: 'Count affected keys' }));
  await findByText('The server is full.');
  expect(await findByRole('button', { name: 'Count affected keys' })).toHaveProperty('disabled', false);
});

it('shows the type that is stored, and where it is not the documented one says both', {
  tags: ['long'],
}, async () => {
  const { user } = open('', { role: 'viewer' });
  const row = await rowWith('topic:authors:');
  expect(cellOf(row, 'Type')).toContain('zset');
  within(row).getByLabelText('Documented string, 412 of 412 are zsets');
  expect(cellOf(await rowWith('shouts:{params}'), 'Type')).toBe('string');
  await user.click(within(row).getByRole('button', { name: 'Authors of topics' }));
  expect(textOf(await screen.findByRole('dialog'))).toContain('Documented string, 412 of 412 are zsets');
});

it('shows a viewer the families, and nothing to change', async () => {
  const { unmount } = open('', { role: 'viewer' });
  await rowWith('shouts:{params}');
  expect(screen.queryByRole('button', { name: /^Invalidate/ })).toBeNull();
  unmount();
  open('?do=invalidate&family=discours.shouts', { role: 'viewer' });
  const { dialog, queryByRole } = await drawer();
  expect(textOf(dialog)).toContain('Your role can view these figures');
  expect(queryByRole('button', { name: /^Invalidate/ })).toBeNull();
});

it('filters in the address, says why a hit rate is not known, and opens a family by keyboard', {
  tags: ['long'],
}, async () => {
  const { user, fill, unmount } = open('', { role: 'viewer' });
  await rowWith('session:{user}:{token}');
  await fill(screen.getByRole('searchbox', { name: 'Family or pattern' }), 'author');
  await user.click(screen.getByRole('checkbox', { name: 'Caches only' }));
  await waitFor(() =>
    expect(window.location.search).toMatch(/^\?(q=author&only=caches|only=caches&q=author)$/),
  );
  unmount();
  const second = open('?q=author&only=caches', { role: 'viewer' });
  const row = await rowWith('author:slug:');
  expect(screen.getByRole('searchbox', { name: 'Family or pattern' })).toHaveProperty('value', 'author');
  expect(screen.queryByRole('row', { name: /session:/ })).toBeNull();
  expect(textOf(row)).toContain('no counter and no window of live traffic had this family in the last hour');
  (document.activeElement as HTMLElement).blur();
  await second.user.keyboard('j{Enter}');
  await screen.findByRole('dialog');
});

it('draws the last hour of a family once its points are loaded', async () => {
  serve();
  const release = api.hold(hitRateContracts.get, {
    ...NO_RATES,
    families: [
      rowOf(
        'discours.shouts',
        [1800, 1200, 600].map((ago) => pointOf(Date.now() / 1000 - ago, 40, 40)),
      ),
    ],
  });
  renderAt('/demo/families', <Families />, { role: 'viewer' });
  const row = await rowWith('shouts:{params}');
  expect(row.querySelector('svg[data-sparkline]')).toBeNull();
  release();
  await waitFor(async () =>
    expect((await rowWith('shouts:{params}')).querySelector('svg[data-sparkline]')).not.toBeNull(),
  );
});

it('sorts by misses where they are known, and says which families have too few look-ups', async () => {
  const sampled = (id: string, hits: number, misses: number) =>
    family(id, id, `${id}:{id}`, {
      hits,
      misses,
      source: 'sample',
      hitRate: hits + misses < 20 ? null : hits / (hits + misses),
      missesPerSecond: misses / 10,
    });
  serve();
  api.answer(familyContracts.list, {
    items: [
      family('large', 'large', 'large:{id}', { keys: 9000 }),
      sampled('few', 3, 4),
      sampled('bad', 20, 80),
    ],
    nextCursor: null,
    unclassified: 0,
    malformed: 0,
    countedAt: null,
    overlaps: [],
  });
  renderAt('/demo/families', <Families />, { role: 'viewer' });
  expect(textOf(await rowWith('few:{id}'))).toContain('too few look-ups (7)');
  const names = screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => textOf(row).split(/[:{]/)[0]);
  expect(names.map((name) => name!.slice(0, 3))).toEqual(['bad', 'few', 'lar']);
});

it.each([
  ['support', '/demo/keys?family=discours.session'],
  ['viewer', undefined],
] as const)('leads %s from a family to its keys, if they may view them', async (role, href) => {
  open('?family=discours.session', { role });
  const { dialog } = await drawer();
  await within(dialog).findByText('What Sessions are for');
  expect(within(dialog).queryByRole('link', { name: 'View keys' })?.getAttribute('href')).toBe(href);
});
