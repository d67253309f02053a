import { screen, waitFor, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import Entities from '@/app/(console)/[connection]/entities/page';
import { type CheckResult, type EntityRef, entityContracts } from '@/lib/entities/schema';
import { badInput } from '@/lib/errors';
import { jobContracts } from '@/lib/jobs/schema';
import type { Role } from '@/lib/permissions';
import { entityOf, KIND_ROWS, refOf } from '@/scripts/testing/entities';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';

const api = fakeApi();

const page = (items: EntityRef[], change: { nextCursor?: string; examined?: number } = {}) => ({
  items,
  nextCursor: null,
  examined: 100,
  total: 200,
  ...change,
});

beforeEach(() => {
  api.answer(entityContracts.kinds, { items: KIND_ROWS, nextCursor: null });
  api.answer(entityContracts.search, page([refOf('4', { title: 'toni' }), refOf('9')]));
  api.answer(jobContracts.list, { items: [], nextCursor: null });
});

const open = (search = '', role: Role = 'admin') =>
  renderAt(`/demo/entities${search}`, <Entities />, { role });

/** The field of kinds, once they are known. */
const kindField = async (value: string) => {
  const field = await screen.findByRole('combobox', { name: 'Kind' });
  await waitFor(() => expect(field).toHaveProperty('value', value));
  return field;
};

it('lists the entities of the first kind, each a link to its page', async () => {
  open();
  const toni = await screen.findByRole('link', { name: 'toni' });
  expect(toni.getAttribute('href')).toBe('/demo/entities?kind=minidouyin.user&id=4');
  expect(screen.getByRole('link', { name: '9' }).getAttribute('href')).toContain('id=9');
  expect(api.asked(entityContracts.search)).toMatchObject([{ kind: 'minidouyin.user' }]);
  screen.getByText('Scanned all 100 keys');
});

it('moves the focus to the heading of an entity that was opened by a link', async () => {
  api.answer(entityContracts.get, entityOf({}));
  const { user } = open();
  await user.click(await screen.findByRole('link', { name: 'toni' }));
  const heading = await screen.findByRole('heading', { level: 1, name: 'toni' });
  await waitFor(() => expect(heading.contains(document.activeElement)).toBe(true));
});

it('names the application where two have a kind of one title', async () => {
  const { user } = open();
  await user.click(await kindField('User (minidouyin)'));
  const names = (await screen.findAllByRole('option')).map(textOf);
  expect(names).toEqual(['User (minidouyin)', 'User (qianxun)', 'Chat']);
  await user.click(screen.getByRole('option', { name: 'User (qianxun)' }));
  expect(window.location.search).toBe('?kind=qianxun.user');
  await waitFor(() =>
    expect(api.asked(entityContracts.search).at(-1)).toMatchObject({ kind: 'qianxun.user' }),
  );
});

it('searches for what the address names, and writes what is typed there', async () => {
  const { user, fill } = open('?kind=chat&q=1_4');
  const field = await screen.findByRole('searchbox', { name: 'Id, slug or name' });
  expect(field).toHaveProperty('value', '1_4');
  await kindField('Chat');
  await waitFor(() =>
    expect(api.asked(entityContracts.search).at(-1)).toMatchObject({ kind: 'minidouyin.chat', q: '1_4' }),
  );
  await fill(field, 'кот 🐱');
  await waitFor(() => expect(api.asked(entityContracts.search).at(-1)?.q).toBe('кот 🐱'));
  expect(new URLSearchParams(window.location.search).get('q')).toBe('кот 🐱');
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(window.location.search).toBe('?kind=chat');
});

it('scans on while nothing is found, and says so at the end', async () => {
  api.answer(entityContracts.search, ({ cursor }) =>
    cursor === undefined ? page([], { nextCursor: 'next' }) : page([]),
  );
  open('?q=nobody');
  await screen.findByText('Nothing found');
  expect(api.asked(entityContracts.search)).toHaveLength(2);
  screen.getByText('Scanned all 200 keys');
});

it('shows hostile ids as text, and links to no id that cannot be one', async () => {
  const long = 'x'.repeat(2000);
  api.answer(
    entityContracts.search,
    page([
      refOf('a/b:c|d&id=7 🦊'),
      refOf('<img src=x onerror=alert(1)>\u0000'),
      refOf(long, { linkable: false, exists: false }),
    ]),
  );
  const { container } = open();
  const link = await screen.findByRole('link', { name: 'a/b:c|d&id=7 🦊' });
  const search = new URLSearchParams(link.getAttribute('href')!.split('?')[1]);
  expect(Object.fromEntries(search)).toEqual({ kind: 'minidouyin.user', id: 'a/b:c|d&id=7 🦊' });
  expect(container.querySelector('img')).toBeNull();
  screen.getByText('not an id');
  expect(textOf(container)).not.toContain(long);
  expect(screen.getAllByRole('link')).toHaveLength(2);
});

it('offers the check to who may run it', async () => {
  open('?tab=check', 'support');
  await screen.findByRole('link', { name: 'toni' });
  expect(screen.queryByRole('tab', { name: 'Check relations' })).toBeNull();
});

const RESULT: CheckResult = {
  checked: 40,
  references: 400,
  dangling: 3,
  oneSided: 5,
  oneSidedNotStored: 2,
  partial: 1,
  wrongType: 1,
  complete: true,
  families: [
    {
      family: 'minidouyin.follows',
      checked: 40,
      references: 400,
      dangling: 3,
      oneSided: 5,
      partial: 1,
      wrongType: 1,
    },
  ],
  samples: [
    {
      problem: 'dangling',
      family: 'minidouyin.follows',
      key: 'follows_4',
      keyId: 'Zm9sbG93c180',
      member: '77',
      detail: null,
      entity: { kind: 'user', app: 'minidouyin', id: '77' },
    },
  ],
};

const checkJob = (change: Parameters<typeof jobOf>[0] = {}) =>
  jobOf({ action: 'entities.check', target: 'minidouyin.user', result: RESULT, ...change });

const form = async () => within(await screen.findByRole('form', { name: 'Check relations' }));

it('checks a kind as a job, and shows its result by its address', async () => {
  api.answer(entityContracts.check, { jobId: JOB_ID, auditId: 'audit' });
  api.answer(jobContracts.get, checkJob());
  const { user } = open('?tab=check', 'product');
  const { findByRole, getByRole } = await form();
  // The field fills in its text after it is drawn.
  const kind = await findByRole('combobox', { name: 'Kind to check' });
  await waitFor(() => expect(kind).toHaveProperty('value', 'User (minidouyin)'));
  await user.click(getByRole('button', { name: 'Check relations' }));
  await screen.findByRole('heading', { name: 'Result' });
  expect(api.asked(entityContracts.check)).toEqual([{ kind: 'minidouyin.user' }]);
  expect(window.location.search).toBe(`?tab=check&job=${JOB_ID}`);
  screen.getByText(/Of these 5 one-sided relations, 2 where the other side is not stored/);
  const samples = within(screen.getByRole('region', { name: 'Samples' }));
  expect(samples.getByRole('link', { name: '77' }).getAttribute('href')).toBe(
    '/demo/entities?kind=minidouyin.user&id=77',
  );
  expect(samples.getByRole('link', { name: 'follows_4' }).getAttribute('href')).toBe(
    '/demo/keys/Zm9sbG93c180',
  );
  expect(textOf(screen.getByRole('region', { name: 'By family' }))).toContain('Follows minidouyin.follows');
});

it('checks a family of the relations', async () => {
  api.answer(entityContracts.check, { jobId: JOB_ID, auditId: 'audit' });
  api.answer(jobContracts.get, checkJob());
  const { user } = open('?tab=check');
  const { getByText, findByRole, getByRole } = await form();
  await user.click(getByText('A family'));
  expect(getByRole('button', { name: 'Check relations' })).toHaveProperty('disabled', true);
  await user.click(await findByRole('combobox', { name: 'Family to check' }));
  await user.click(await screen.findByRole('option', { name: 'minidouyin.followers: Followers' }));
  await user.click(getByRole('button', { name: 'Check relations' }));
  await waitFor(() => expect(api.asked(entityContracts.check)).toEqual([{ family: 'minidouyin.followers' }]));
});

it('joins the same check that is running already', async () => {
  api.refuse(entityContracts.check, 'conflict', 'This is being checked.', { extensions: { jobId: JOB_ID } });
  const running = { state: 'running', finishedAt: null, progress: 0.5, result: null } as const;
  api.answer(jobContracts.get, checkJob(running));
  const { user } = open('?tab=check');
  const { findByRole } = await form();
  await findByRole('combobox', { name: 'Kind to check' });
  await user.click(await findByRole('button', { name: 'Check relations' }));
  await screen.findByText('This check was already running: its progress is shown.');
  await screen.findByRole('progressbar', { name: 'Progress of the job' });
  expect(window.location.search).toBe(`?tab=check&job=${JOB_ID}`);
  expect(screen.queryByRole('alert')).toBeNull();
});

it('names what the role may not check and why, and chooses another', async () => {
  const [user, ...others] = KIND_ROWS;
  const checkNeeds = ['sessions:view' as const];
  const [follows, followers] = user!.familyChecks;
  const guarded = { ...user!, checkNeeds, familyChecks: [{ ...follows!, checkNeeds }, followers!] };
  const video = {
    ...user!,
    kind: 'video',
    ref: 'minidouyin.video',
    title: 'Video',
    relations: [],
    familyChecks: [],
  };
  api.answer(entityContracts.kinds, { items: [guarded, video, ...others], nextCursor: null });
  const { user: pointer } = open('?tab=check', 'product');
  const { findByText, getByRole, getByText } = await form();
  await findByText(
    /Not for your role, because a check reads values that need sessions:view: User \(minidouyin\)/,
  );
  const kinds = getByRole('combobox', { name: 'Kind to check' });
  await waitFor(() => expect(kinds).toHaveProperty('value', 'Video'));
  await pointer.click(kinds);
  const refused = await screen.findByRole('option', { name: 'User (minidouyin)' });
  expect(refused.getAttribute('data-combobox-disabled')).toBe('true');
  await pointer.click(getByText('A family'));
  await findByText(/sessions:view: minidouyin.follows: Follows\.$/);
});

it('disables the button for a kind that the address names and the role may not check', async () => {
  const [user] = KIND_ROWS;
  api.answer(entityContracts.kinds, {
    items: [{ ...user!, checkNeeds: ['sessions:view'] }],
    nextCursor: null,
  });
  open('?tab=check&kind=minidouyin.user', 'product');
  const { findByText, getByRole } = await form();
  await findByText(/Not for your role/);
  expect(getByRole('button', { name: 'Check relations' })).toHaveProperty('disabled', true);
});

it('says why a check is refused', async () => {
  api.answer(entityContracts.check, () => {
    throw badInput([{ path: 'kind', message: 'This kind has no relations.' }]);
  });
  const { user } = open('?tab=check');
  const { findByRole } = await form();
  await findByRole('combobox', { name: 'Kind to check' });
  await user.click(await findByRole('button', { name: 'Check relations' }));
  expect(textOf(await screen.findByRole('alert'))).toContain('This kind has no relations.');
});

it('opens the check of the address after a reload, and lists the others', async () => {
  const [earlier, other] = ['22222222', '33333333'].map((begin) => `${begin}-2222-4333-8444-555555555555`);
  const items = [
    checkJob(),
    checkJob({ jobId: earlier!, target: 'minidouyin.follows' }),
    jobOf({ jobId: other!, action: 'families.invalidate' }),
  ];
  api.answer(jobContracts.list, { items, nextCursor: null });
  api.answer(jobContracts.get, checkJob({ result: { ...RESULT, complete: false } }));
  open(`?tab=check&job=${JOB_ID}`);
  await screen.findByText('Not everything was checked: the counts are the least there is.');
  const list = within(await screen.findByRole('region', { name: 'Earlier checks' }));
  const [link, ...more] = list.getAllByRole('link');
  expect(link?.getAttribute('href')).toBe(`/demo/entities?tab=check&job=${earlier}`);
  expect([textOf(link), more]).toEqual(['minidouyin.follows', []]);
});

it('shows a job of another kind as what it is', async () => {
  api.answer(jobContracts.get, jobOf({ result: { deleted: 3 } }));
  open(`?tab=check&job=${JOB_ID}`);
  await screen.findByText('This job left no result of a check.');
  expect(screen.queryByRole('heading', { name: 'Result' })).toBeNull();
});
