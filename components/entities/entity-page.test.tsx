import { screen, waitFor, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import Entities from '@/app/(console)/[connection]/entities/page';
import { undoContract } from '@/lib/audit/schema';
import { conversationContracts } from '@/lib/conversations/schema';
import { type EntityView, entityContracts } from '@/lib/entities/schema';
import { badInput } from '@/lib/errors';
import { familyContracts, type Preview } from '@/lib/families/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { presenceContracts } from '@/lib/presence/schema';
import { entityOf, fieldOf, KIND_ROWS, refOf, relationOf } from '@/scripts/testing/entities';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';

const api = fakeApi();

beforeEach(() => {
  api.answer(entityContracts.kinds, { items: KIND_ROWS, nextCursor: null });
});

const ADDRESS = '/demo/entities?kind=minidouyin.user&id=4';

type Options = Parameters<typeof renderAt>[2];

const open = (view: Partial<EntityView> = {}, address = ADDRESS, options: Options = {}) => {
  api.answer(entityContracts.get, entityOf(view));
  return renderAt(address, <Entities />, options);
};

const titled = (name: string) => screen.findByRole('heading', { level: 1, name });

it('asks for the entity of the address, whatever its id', async () => {
  const id = `a/b:c|d*?[x]&kind=z 🦊 ${'я'.repeat(900)}`;
  const search = new URLSearchParams({ kind: 'minidouyin.user', id });
  open({ id, title: null }, `/demo/entities?${search}`);
  await screen.findByRole('region', { name: 'Keys' });
  expect(api.asked(entityContracts.get)).toEqual([{ kind: 'minidouyin.user', id }]);
});

it('qualifies a kind that the address does not', async () => {
  open({}, '/demo/entities?kind=chat&id=1_4');
  await titled('toni');
  expect(api.asked(entityContracts.get)).toEqual([{ kind: 'minidouyin.chat', id: '1_4' }]);
});

it('leads to all changes of an entity; those of a user are with their sessions', async () => {
  const href = async () => (await screen.findByRole('link', { name: 'All changes' })).getAttribute('href');
  const { unmount } = open();
  expect(await href()).toBe('/audit?connection=demo&subject=user%3A4');
  unmount();
  open({ kind: 'chat', id: '1_4' }, '/demo/entities?kind=chat&id=1_4');
  expect(await href()).toBe('/audit?connection=demo&subject=entity%3Achat+1_4');
});

it('lays out the record: secrets, times, references and long values', async () => {
  const fields = [
    fieldOf('Username', 'toni'),
    fieldOf('Passwd', null, { masked: true }),
    fieldOf('CreatedAt', '2026-01-02T03:04:05.123456789+08:00', { time: '2026-01-01T19:04:05.123Z' }),
    fieldOf('Author', '9', { ref: refOf('9', { title: 'liwei', exists: false }) }),
    fieldOf('Content', 'y'.repeat(300), { truncated: true }),
    fieldOf('Empty', ''),
    fieldOf('Bio', '<b>bold</b>\u202e'),
  ];
  const { container } = open({ fields });
  await titled('toni');
  const value = (name: string) => screen.getByText(name).closest('div')!;
  expect(textOf(value('Passwd'))).toContain('Secret, hidden');
  expect(textOf(value('CreatedAt'))).toContain('Jan 1, 2026, 19:04:05');
  expect(textOf(value('CreatedAt'))).toContain('2026-01-02T03:04:05.123456789+08:00');
  const author = within(value('Author'));
  expect(author.getByRole('link', { name: 'liwei' }).getAttribute('href')).toBe(
    '/demo/entities?kind=minidouyin.user&id=9',
  );
  author.getByText('not stored');
  expect(within(value('Content')).getByRole('link', { name: 'Open key' }).getAttribute('href')).toBe(
    '/demo/keys/key-of-the-record',
  );
  expect(textOf(value('Empty'))).toContain('(empty)');
  expect(container.querySelector('dd b')).toBeNull();
});

it('says in words what is wrong with the record', async () => {
  open({
    problems: [
      { what: 'idMissing', detail: null },
      { what: 'wrongType', detail: 'documented hash, stored string' },
    ],
  });
  await screen.findByText('The record lacks its id');
  screen.getByText('The record has another type than documented');
  screen.getByText('documented hash, stored string');
});

it('counts what belongs to it where the record is gone', async () => {
  const [key] = entityOf().keys;
  open({
    exists: false,
    title: null,
    recordKey: null,
    keys: [
      { ...key!, exists: false, type: null, ttlSeconds: null },
      { ...key!, key: 'follows_4', keyId: 'a', ttlSeconds: null },
      { ...key!, key: 'followers_4', keyId: 'b' },
    ],
  });
  await screen.findByText('No record is stored for this id');
  screen.getByText('2 keys that belong to it are.');
  const keys = screen.getByRole('region', { name: 'Keys' });
  expect(within(keys).getByRole('link', { name: 'follows_4' }).getAttribute('href')).toBe('/demo/keys/a');
  expect(within(keys).getAllByRole('row').slice(1).map(textOf)).toEqual([
    'follows_4Usershashnone',
    'followers_4Usershash2 h',
    '4Usersnot stored—',
  ]);
});

it('shows relations with counts and first elements, and what is wrong with each', async () => {
  open({
    relations: [
      relationOf('follows', {
        title: 'Follows',
        count: 3,
        counted: 5,
        problem: 'partial',
        first: [
          refOf('9', { title: 'liwei' }),
          refOf('77', { exists: false }),
          refOf('x|y', { linkable: false, exists: false }),
          refOf('•••', { linkable: false, exists: null }),
          refOf('4', { self: true }),
        ],
      }),
      relationOf('likes', { title: 'Likes', type: 'string', count: null, problem: 'wrongType' }),
      relationOf('videos', { title: 'Videos', type: null, key: null, keyId: null }),
    ],
  });
  await titled('toni');
  const section = within(screen.getByRole('region', { name: 'Relations' }));
  const follows = within(section.getByRole('list', { name: 'Follows' }));
  const items = follows.getAllByRole('listitem').map(textOf);
  expect(items).toEqual(['liwei 9', '77not stored', 'x|ynot an id', '•••', '4itself']);
  expect(follows.getAllByRole('link')).toHaveLength(3);
  section.getByText('the record says 5');
  section.getByText('Stored as string, which cannot be listed here.');
  section.getByText('None stored.');
  expect(section.queryByRole('button', { name: 'Show all: Likes' })).toBeNull();
});

it('opens a complete relation by its address, page by page', { tags: ['long'] }, async () => {
  api.answer(entityContracts.relation, ({ cursor }) => {
    const from = cursor === undefined ? 0 : 100;
    const items = Array.from({ length: from === 0 ? 100 : 20 }, (_, i) => refOf(String(from + i)));
    return { items, nextCursor: from === 0 ? 'second' : null, relation: 'follows', count: 120 };
  });
  const first = Array.from({ length: 50 }, (_, i) => refOf(String(i)));
  const { user } = open({ relations: [relationOf('follows', { title: 'Follows', count: 120, first })] });
  await user.click(await screen.findByRole('button', { name: 'Show all: Follows' }));
  expect(new URLSearchParams(window.location.search).get('relation')).toBe('follows');
  const dialog = within(await screen.findByRole('dialog', { name: 'Follows' }));
  await dialog.findByRole('link', { name: '0' });
  expect(api.asked(entityContracts.relation)[0]).toMatchObject({
    kind: 'minidouyin.user',
    id: '4',
    relation: 'follows',
  });
  const table = dialog.getByRole('table', { name: 'Follows' });
  table.closest('section')!.scrollTop = 100_000;
  table.closest('section')!.dispatchEvent(new Event('scroll'));
  await dialog.findByText('120 in total');
  expect(api.asked(entityContracts.relation).map(({ cursor }) => cursor)).toEqual([undefined, 'second']);
  await user.keyboard('{Escape}');
  await waitFor(() => expect(new URLSearchParams(window.location.search).get('relation')).toBeNull());
});

it('finds what needs a scan only when that is asked for', async () => {
  api.answer(entityContracts.relation, ({ cursor }) =>
    cursor === undefined
      ? { items: [], nextCursor: 'next', relation: 'chats', count: null }
      : { items: [refOf('1_4', { kind: 'chat' })], nextCursor: null, relation: 'chats', count: null },
  );
  const chats = { title: 'Chats', kind: 'chat', scanned: true, count: null, type: null, key: null };
  const { user } = open({ relations: [relationOf('chats', { ...chats, keyId: null })] });
  const button = await screen.findByRole('button', { name: 'Find: Chats' });
  expect(api.asked(entityContracts.relation)).toEqual([]);
  await user.click(button);
  const link = await screen.findByRole('link', { name: '1_4' });
  expect(link.getAttribute('href')).toBe('/demo/entities?kind=minidouyin.chat&id=1_4');
});

it('says of each damage what it is, with links', async () => {
  const refs = Array.from({ length: 12 }, (_, i) => ({
    relation: 'likes.2',
    family: 'minidouyin.likes',
    key: 'likes_4',
    keyId: 'bGlrZXM',
    member: `70${i}`,
    why: i === 0 ? ('notAnId' as const) : ('missing' as const),
  }));
  const other = { relation: 'follows', kind: 'user', app: 'minidouyin', lacks: 'followers' };
  const { user } = open({
    relations: [
      relationOf('follows', { title: 'Follows', count: 3, counted: 5, problem: 'partial' }),
      relationOf('likes', { title: 'Likes' }),
      relationOf('videos', { title: 'Videos', type: 'hash', count: 1, problem: 'wrongType' }),
    ],
    dangling: refs,
    oneSided: [
      { ...other, id: '9', title: 'liwei', stored: true },
      { ...other, id: '11', title: null, stored: false },
    ],
    checked: { references: 500, complete: false },
  });
  const dangling = within(await screen.findByRole('list', { name: '12 dangling references' }));
  expect(dangling.getAllByRole('listitem')).toHaveLength(10);
  expect(dangling.getAllByRole('listitem').slice(0, 2).map(textOf)).toEqual([
    '“700” in Likes: this cannot be an id. likes_4',
    '“701” in Likes: no record is stored. likes_4',
  ]);
  await user.click(screen.getByRole('button', { name: 'Show more (2)' }));
  expect(dangling.getAllByRole('listitem')).toHaveLength(12);
  const oneSided = within(screen.getByRole('list', { name: '2 one-sided relations' }));
  expect(oneSided.getAllByRole('listitem').map(textOf)).toEqual([
    'liwei 9 is in Follows, but this one is missing from their Followers.',
    '11 is in Follows; the other side, Followers, is not stored at all, and the application may load it again.',
  ]);
  expect(textOf(screen.getByRole('list', { name: '1 partial set' }))).toContain('3 stored, 5 by the record');
  expect(textOf(screen.getByRole('list', { name: '1 relation that cannot be read' }))).toBe(
    'Videos: stored as hash. videos_4',
  );
  screen.getByText(/Only the first 500 references were checked/);
  expect(screen.getByRole('link', { name: 'Check relations' }).getAttribute('href')).toBe(
    '/demo/entities?tab=check&kind=minidouyin.user',
  );
});

it('says that nothing is damaged', async () => {
  open({ relations: [relationOf('follows', { count: 7 })], checked: { references: 7, complete: true } });
  await screen.findByText('Nothing was found.');
  screen.getByText('All 7 references checked');
});

it('offers no list of a relation that has no elements of its own', async () => {
  open({ relations: [relationOf('online', { title: 'Online', count: 1, kind: null })] });
  await screen.findByRole('heading', { name: 'Online' });
  expect(screen.queryByRole('button', { name: 'Show all: Online' })).toBeNull();
});

it('says that nothing is stored that could be damaged', async () => {
  open({ relations: [relationOf('follows', { count: 0, type: null })] });
  await screen.findByText('Nothing is stored that could be damaged.');
});

const ACTIVE = { online: true, sessions: true, invalidates: ['profile'] };

it.each([
  ['admin', ['Take offline', 'Invalidate'], true],
  ['product', ['Invalidate'], false],
  ['support', [], true],
] as const)('offers a role what it may: %s', async (role, buttons, sessions) => {
  open(ACTIVE, ADDRESS, { role });
  await screen.findByText('Online');
  const offered = ['Take offline', 'Invalidate'].filter((name) => screen.queryByRole('button', { name }));
  expect(offered).toEqual(buttons);
  const link = screen.queryByRole('link', { name: 'Sessions' });
  expect(link?.getAttribute('href') ?? null).toBe(sessions ? '/demo/sessions?user=4' : null);
});

it('offers nothing where nothing can be done', async () => {
  open({ online: false, invalidates: [] });
  await screen.findByText('Offline');
  for (const name of ['Take offline', 'Invalidate'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

it('takes a user offline, says what stays, and offers undo', async () => {
  const undoUntil = new Date(Date.now() + 60_000).toISOString();
  api.answer(presenceContracts.setOffline, { removed: true, online: 2, auditId: JOB_ID, undoUntil });
  api.answer(undoContract, { undone: 1, conflicts: [], auditId: 'undone' });
  const { user } = open(ACTIVE);
  await user.click(await screen.findByRole('button', { name: 'Take offline' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Take toni offline' }));
  dialog.getByText('toni');
  dialog.getByText(/sessions, tokens and connections/);
  api.answer(entityContracts.get, entityOf({ ...ACTIVE, online: false }));
  await user.click(dialog.getByRole('button', { name: 'Take offline' }));
  await screen.findByText('Offline');
  expect(api.asked(presenceContracts.setOffline)).toEqual([{ userId: '4' }]);
  await screen.findByText('toni is offline · 2 users online');
  api.answer(entityContracts.get, entityOf(ACTIVE));
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Online');
  expect(api.asked(undoContract)).toEqual([{ auditId: JOB_ID }]);
});

const preview = (change: Partial<Preview> = {}): Preview => ({
  keys: 3,
  memoryBytes: 300,
  exact: true,
  error: null,
  needsSensitive: false,
  byFamily: [{ family: 'f', title: 'Profiles', keys: 3, sensitive: false, cache: true }],
  sample: [{ key: 'profile_4', keyId: null, family: 'f' }],
  hitRate: null,
  expectedMissesPerSecond: null,
  undo: { possible: true, keys: 3, bytes: 300, why: null, tooLarge: 0, hours: 24 },
  branches: [
    { id: 'profile', title: 'Profile', keys: 3, included: true, wider: false, known: true },
    { id: 'slug', title: 'By slug', keys: 0, included: true, wider: false, known: false },
  ],
  ...change,
});

it('previews the rule of an entity and runs it as a job', async () => {
  api.answer(familyContracts.preview, preview());
  api.answer(familyContracts.invalidate, { jobId: JOB_ID, auditId: 'audit' });
  api.answer(jobContracts.get, jobOf({ action: 'sessions.repair', result: { deleted: 3 } }));
  const production = { id: 'live', environment: 'production' } as const;
  const { user, fill } = open(ACTIVE, ADDRESS.replace('demo', 'live'), {
    role: 'product',
    connection: production,
  });
  await user.click(await screen.findByRole('button', { name: 'Invalidate' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Invalidate toni' }));
  const verb = await dialog.findByRole('button', { name: 'Invalidate 3 keys' });
  const branches = within(dialog.getByRole('list', { name: 'Keys to delete' }));
  expect(branches.getAllByRole('listitem').map(textOf)).toEqual(['Profile 3 keys', 'By slug unknown—']);
  expect(verb).toHaveProperty('disabled', true);
  await fill(dialog.getByLabelText(/type live to confirm/), 'live');
  await user.click(verb);
  const entity = { kind: 'minidouyin.user', id: '4' };
  await waitFor(() =>
    expect(api.asked(familyContracts.invalidate)).toEqual([{ entity, confirm: 'live', withoutUndo: false }]),
  );
  expect(api.asked(familyContracts.preview)).toEqual([{ entity }]);
  await screen.findByRole('dialog', { name: 'Job' });
  expect(new URLSearchParams(window.location.search).get('job')).toBe(JOB_ID);
});

it('invalidates nothing where nothing is stored', async () => {
  api.answer(familyContracts.preview, preview({ keys: 0, branches: [] }));
  const { user } = open(ACTIVE);
  await user.click(await screen.findByRole('button', { name: 'Invalidate' }));
  const verb = await screen.findByRole('button', { name: 'Nothing to invalidate' });
  expect(verb).toHaveProperty('disabled', true);
});

it.each([
  ['There is nothing here', () => api.refuse(entityContracts.get, 'not_found', 'No kind is called so.')],
  [
    'This cannot be an id of this kind',
    () =>
      api.answer(entityContracts.get, () => {
        throw badInput([{ path: 'id', message: 'An id is decimal digits.' }]);
      }),
  ],
  [
    'This connection has no such kind',
    () =>
      api.answer(entityContracts.get, () => {
        throw badInput([{ path: 'kind', message: 'This is one of user, chat.' }]);
      }),
  ],
])('leads back to the search: %s', async (title, refuse) => {
  refuse();
  renderAt(ADDRESS, <Entities />);
  await screen.findByText(title);
  expect(screen.getByRole('link', { name: 'Find another' }).getAttribute('href')).toBe(
    '/demo/entities?kind=minidouyin.user',
  );
});

it('shows the messages of a chat between its record and its relations', async () => {
  const message = {
    id: 'm1',
    at: '2026-01-01T10:00:00.000Z',
    time: '1767261600000',
    sender: '4',
    senderRef: null,
    content: 'see you | at nine',
    truncated: false,
    problem: null,
  };
  api.answer(conversationContracts.messages, {
    items: [message],
    nextCursor: null,
    messages: 1,
    examined: 1,
    perHour: null,
    members: [],
    problem: null,
  });
  open(
    { kind: 'chat', id: '1_4', title: null, conversation: true, recordKey: null },
    '/demo/entities?kind=minidouyin.chat&id=1_4',
  );
  await screen.findByRole('heading', { name: 'Conversation' });
  await screen.findByText('see you | at nine');
  expect(api.asked(conversationContracts.messages)[0]).toMatchObject({ kind: 'minidouyin.chat', id: '1_4' });
});

it('asks for the id of a production connection before taking a user offline', async () => {
  const production = { id: 'live', environment: 'production' } as const;
  const { user, fill } = open(ACTIVE, ADDRESS.replace('demo', 'live'), { connection: production });
  await user.click(await screen.findByRole('button', { name: 'Take offline' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Take toni offline' }));
  const verb = dialog.getByRole('button', { name: 'Take offline' });
  expect(verb).toHaveProperty('disabled', true);
  await fill(dialog.getByLabelText(/type live to confirm/), 'live');
  expect(verb).toHaveProperty('disabled', false);
});
