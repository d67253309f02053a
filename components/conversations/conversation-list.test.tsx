import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Conversations from '@/app/(console)/[connection]/conversations/page';
import type { Result } from '@/lib/contract';
import { type ConversationRow, conversationContracts, type Message } from '@/lib/conversations/schema';
import { type EntityKindRow, entityContracts } from '@/lib/entities/schema';
import { Problem } from '@/lib/errors';
import { downloads } from '@/scripts/testing/downloads';
import { refOf } from '@/scripts/testing/entities';
import { fakeApi } from '@/scripts/testing/fake-api';
import { narrowPage, renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const files = downloads();

const kind = (name: string, title: string, conversation: boolean): EntityKindRow => ({
  kind: name,
  app: 'social',
  title,
  ref: `social.${name}`,
  record: false,
  conversation,
  idHint: 'digits',
  relations: [],
  checkNeeds: null,
  familyChecks: [],
});

const message = (change: Partial<Message> = {}): Message => ({
  id: 'm1',
  at: new Date(Date.now() - 120_000).toISOString(),
  time: '1',
  sender: 'ann',
  senderRef: null,
  content: 'See you at ten',
  truncated: false,
  problem: null,
  ...change,
});

const room = (id: string, change: Partial<ConversationRow> = {}): ConversationRow => ({
  kind: 'group',
  app: 'social',
  id,
  title: id,
  linkable: true,
  members: 3,
  messages: 1234,
  perHour: 4.25,
  latest: message(),
  ttlSeconds: null,
  problem: null,
  ...change,
});

type Page = Result<typeof conversationContracts.list>;
const page = (items: ConversationRow[], change: Partial<Page> = {}): Page => ({
  items,
  nextCursor: null,
  examined: 500,
  total: 500,
  ...change,
});

const serve = (answer: Page = page([room('climbing')])): void => {
  api.answer(entityContracts.kinds, {
    items: [kind('group', 'Group', true), kind('chat', 'Chat', true), kind('user', 'User', false)],
    nextCursor: null,
  });
  api.answer(conversationContracts.list, answer);
};

const open = (search = '', options: Parameters<typeof renderAt>[2] = { role: 'support' }) =>
  renderAt(`/demo/rooms${search}`, <Conversations />, options);
const roomsShown = () => rowsOf('Rooms and chats').map((row) => cellOf(row, 'Conversation'));

it('shows each conversation with its figures and latest message, and leads to it', async () => {
  serve();
  open();
  const row = await rowWith('climbing');
  expect(within(row).getByRole('link', { name: 'climbing' }).getAttribute('href')).toBe(
    '/demo/entities?kind=social.group&id=climbing',
  );
  await waitFor(() => expect(cellOf(row, 'Kind')).toBe('Group'));
  expect([cellOf(row, 'Members'), cellOf(row, 'Messages'), cellOf(row, 'Per hour')]).toEqual([
    '3',
    '1,234',
    '4.3',
  ]);
  expect(cellOf(row, 'Latest message')).toMatch(/2\smin ago · annSee you at ten/);
  await screen.findByText('Scanned all 500 keys');
});

it('shows what is unknown or damaged as such', async () => {
  serve(
    page([
      room('broken', {
        members: null,
        messages: null,
        perHour: null,
        latest: null,
        problem: 'wrongType',
      }),
      room('gone', { latest: message({ content: null, sender: null, at: null, problem: 'missing' }) }),
      room('a|b', { linkable: false, problem: 'unreadable' }),
    ]),
  );
  open();
  const broken = await rowWith('broken');
  expect(cellOf(broken, 'Conversation')).toContain('wrong type');
  for (const heading of ['Members', 'Messages', 'Per hour', 'Latest message'])
    expect(cellOf(broken, heading)).toBe('—');
  expect(cellOf(await rowWith('gone'), 'Latest message')).toBe('—(content not stored)');
  const unnamed = await rowWith('a|b');
  expect(cellOf(unnamed, 'Conversation')).toContain('unreadable');
  expect(within(unnamed).queryByRole('link')).toBeNull();
});

it('leads to a conversation from its row, where there is one', { tags: ['long'] }, async () => {
  serve(page([room('a|b', { linkable: false }), room('climbing')]));
  const { user } = open();
  await user.click(await screen.findByText('a|b'));
  expect(window.location.pathname).toBe('/demo/rooms');
  await user.click(within(await rowWith('climbing')).getByText('3'));
  await waitFor(() => expect(window.location.search).toBe('?kind=social.group&id=climbing'));
});

it('names the sender where the name is known', async () => {
  const senderRef = refOf('ann', { app: 'social', title: 'Ann Lee' });
  serve(page([room('climbing', { latest: message({ senderRef }) })]));
  open();
  expect(cellOf(await rowWith('climbing'), 'Latest message')).toContain('Ann Lee');
});

it('filters by what the address says, and writes the filters there', { tags: ['long'] }, async () => {
  serve();
  const { user, fill } = open('?kind=social.chat&q=climb');
  await rowWith('climbing');
  expect(api.asked(conversationContracts.list)[0]).toMatchObject({ kind: 'social.chat', q: 'climb' });
  const choice = screen.getByRole('combobox', { name: 'Kind' });
  await waitFor(() => expect(choice).toHaveProperty('value', 'Chat'));
  await user.click(choice);
  expect((await screen.findAllByRole('option')).map(textOf)).toEqual(['Group', 'Chat']);
  await user.click(screen.getByRole('option', { name: 'Group' }));
  await fill(screen.getByRole('searchbox', { name: 'Search conversations' }), 'ten');
  await waitFor(() =>
    expect(api.asked(conversationContracts.list).at(-1)).toMatchObject({ kind: 'social.group', q: 'ten' }),
  );
  expect(window.location.search).toBe('?kind=social.group&q=ten');
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(window.location.search).toBe(''));
});

it('pauses a scan that cannot go on, says how far it is, and continues it', async () => {
  serve();
  const first = page([], { nextCursor: 'next', examined: 1000, total: 1_000_000 });
  api.answer(conversationContracts.list, ({ cursor }) => {
    if (cursor) throw new Problem('throttled', 'Too many requests.');
    return first;
  });
  const { user } = open('?q=none');
  await screen.findByText('No match so far');
  screen.getByText('Scanned 1,000 of 1,000,000 keys');
  api.answer(conversationContracts.list, ({ cursor }) => (cursor ? page([room('climbing')]) : first));
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await waitFor(() => expect(roomsShown()).toEqual(['climbing']));
});

it('shows no progress while the first rows are searched for, which would push it down', async () => {
  serve();
  const empty = page([], { nextCursor: 'next', examined: 1000, total: 2000 });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  api.answer(conversationContracts.list, ({ cursor }) =>
    cursor ? held.then(() => page([room('climbing')], { examined: 1000, total: 2000 })) : empty,
  );
  open();
  await waitFor(() => expect(api.asked(conversationContracts.list)).toHaveLength(2));
  expect(screen.queryByText(/^Scanned/)).toBeNull();
  release();
  await rowWith('climbing');
  await screen.findByText('Scanned all 2,000 keys');
});

it('says why there is nothing', async () => {
  serve(page([]));
  const { unmount } = open();
  await screen.findByText('No conversations');
  unmount();
  open('?q=none');
  await screen.findByText('Nothing matches these filters.');
});

it('exports the latest message with its time and sender', async () => {
  const at = '2026-11-22T10:00:00.000Z';
  serve(page([room('climbing', { latest: message({ at, content: '=1+1' }) })]));
  const { user } = open();
  await rowWith('climbing');
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'CSV' }));
  const [heading, line] = (await files[0]!.content.text()).split('\r\n');
  expect(heading).toContain('Latest message,Latest at,Latest by');
  expect(line).toContain(`'=1+1,${at},ann`);
});

it('shows titles and messages as text on a phone too', { tags: ['long'] }, async () => {
  narrowPage();
  serve(page([room('<img src=x>', { latest: message({ content: '<b>\u202ehi</b>', sender: '<i>' }) })]));
  open();
  const list = await screen.findByRole('list', { name: 'Rooms and chats' });
  await waitFor(() => expect(textOf(list)).toContain('<b>\\u202ehi</b>'));
  expect(textOf(list)).toContain('<img src=x>');
  expect(document.querySelector('img')).toBeNull();
});
