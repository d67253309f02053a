import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Entities from '@/app/(console)/[connection]/entities/page';
import type { Result } from '@/lib/contract';
import { conversationContracts, type Message } from '@/lib/conversations/schema';
import { type EntityRef, entityContracts } from '@/lib/entities/schema';
import { entityOf, KIND_ROWS, refOf } from '@/scripts/testing/entities';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { Conversation } from './conversation';

const api = fakeApi();
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';

const user = (id: string, change: Partial<EntityRef> = {}) => refOf(id, { app: 'social', ...change });

const message = (id: string, change: Partial<Message> = {}): Message => ({
  id,
  at: new Date(Date.now() - 120_000).toISOString(),
  time: '1',
  sender: 'ann',
  senderRef: null,
  content: `text of ${id}`,
  truncated: false,
  problem: null,
  ...change,
});

type Page = Result<typeof conversationContracts.messages>;
const page = (items: Message[], change: Partial<Page> = {}): Page => ({
  items,
  nextCursor: null,
  messages: items.length,
  examined: items.length,
  perHour: 2.5,
  members: [user('u1', { title: 'Ann' }), user('u2')],
  problem: null,
  ...change,
});

const serve = (answer: Page): void => api.answer(conversationContracts.messages, answer);

const NAMED = { kind: 'social.chat', id: '1_4' };
const open = (search = '', options: Parameters<typeof renderAt>[2] = { role: 'admin' }) =>
  renderAt(
    `/demo/entities?kind=social.chat&id=1_4${search}`,
    <Conversation kind={NAMED.kind} id={NAMED.id} />,
    options,
  );
const shown = async () =>
  within(await screen.findByRole('list', { name: 'Messages' }))
    .getAllByRole('listitem')
    .map(textOf);

it('shows the latest message last, with its sender, members and figures', async () => {
  serve(
    page(
      [
        message('m2', { sender: '1', senderRef: user('u1', { title: 'Ann' }) }),
        message('m1', { sender: null }),
      ],
      {
        messages: 1234,
      },
    ),
  );
  open();
  const [first, last] = await shown();
  expect(first).toMatch(/^2\smin agotext of m1$/);
  expect(last).toMatch(/^Ann2\smin agotext of m2$/);
  const list = within(screen.getByRole('list', { name: 'Messages' }));
  expect(list.getByRole('link', { name: 'Ann' }).getAttribute('href')).toBe(
    '/demo/entities?kind=social.user&id=u1',
  );
  const members = within(screen.getByRole('list', { name: 'Members' }));
  expect(members.getAllByRole('link').map(textOf)).toEqual(['Ann', 'u2']);
  screen.getByText('1,234 messages · 2.5 per hour');
  expect(api.asked(conversationContracts.messages)).toEqual([{ ...NAMED, limit: 50 }]);
});

it('is a part of the page of a chat', async () => {
  const { app } = KIND_ROWS.find(({ kind }) => kind === 'chat')!;
  api.answer(entityContracts.kinds, { items: KIND_ROWS, nextCursor: null });
  api.answer(
    entityContracts.get,
    entityOf({ kind: 'chat', app, id: '1_4', title: null, conversation: true }),
  );
  serve(page([message('m1')]));
  renderAt(`/demo/entities?kind=${app}.chat&id=1_4`, <Entities />);
  expect(await shown()).toHaveLength(1);
  expect(api.asked(conversationContracts.messages)[0]).toMatchObject({ kind: `${app}.chat`, id: '1_4' });
});

it.each([
  ['noSeparator', 'No separator: time and content cannot be distinguished.'],
  ['noTime', 'No readable time. yesterday'],
  ['missing', 'The record is gone: only the id of the message is in the list.'],
  ['unreadable', 'The record cannot be read as a message.'],
] as const)('says what is wrong with a message: %s', async (problem, words) => {
  const isStored = problem === 'noSeparator' || problem === 'noTime';
  const content = isStored ? 'as stored' : null;
  serve(page([message('m1', { at: null, time: 'yesterday', problem, content })]));
  open();
  const [only] = await shown();
  expect(only).toContain(words);
  expect(only).toContain(content ?? '(content not stored)');
});

it('shows messages as text, whatever they contain, and says where one is cut', async () => {
  serve(page([message('m1', { sender: '<i>', content: '<img src=x>\u202e\nhi', truncated: true })]));
  open();
  const [only] = await shown();
  expect(only).toContain('<i>');
  expect(only).toContain('<img src=x>\\u202e↵hi');
  expect(only).toContain('(longer; cut by Keyward)');
  expect(document.querySelector('img')).toBeNull();
});

it('loads older messages above the others', async () => {
  api.answer(conversationContracts.messages, ({ cursor }) =>
    cursor === 'older'
      ? page([message('m1')], { messages: 2 })
      : page([message('m2')], { messages: 2, nextCursor: 'older' }),
  );
  const { user: hand } = open();
  await screen.findByText('Latest 1 of 2 messages');
  await hand.click(screen.getByRole('button', { name: 'Load older messages' }));
  await screen.findByText('All 2 messages');
  expect((await shown()).map((text) => text.slice(-10))).toEqual(['text of m1', 'text of m2']);
  expect(screen.queryByRole('button', { name: 'Load older messages' })).toBeNull();
});

it('searches by what the address says, and writes the search there', async () => {
  api.answer(conversationContracts.messages, ({ q }) =>
    page(q === 'ten' ? [message('m7')] : [], { messages: 1_000_000, examined: 1000 }),
  );
  const { fill } = open('&find=ten');
  await screen.findByText('1 match in 1,000 of 1,000,000 messages');
  expect(api.asked(conversationContracts.messages)[0]).toMatchObject({ q: 'ten' });
  await fill(screen.getByRole('searchbox', { name: 'Search in the messages' }), 'eleven');
  await screen.findByText('No stored message of this conversation contains this text.');
  expect(new URLSearchParams(window.location.search).get('find')).toBe('eleven');
  expect(new URLSearchParams(window.location.search).get('id')).toBe('1_4');
});

it('searches older messages when asked', async () => {
  api.answer(conversationContracts.messages, ({ cursor }) =>
    page([message(cursor ? 'm1' : 'm9')], {
      messages: 1_000_000,
      examined: 1000,
      nextCursor: cursor ? null : 'older',
    }),
  );
  const { user: hand } = open('&find=text');
  await screen.findByText('1 match in 1,000 of 1,000,000 messages');
  await hand.click(screen.getByRole('button', { name: 'Search older messages' }));
  await screen.findByText('2 matches in 2,000 of 1,000,000 messages');
});

it('says what would be here without messages, and what an unknown count is', async () => {
  serve(page([], { messages: null, perHour: null, members: [] }));
  open();
  await screen.findByText('No messages');
  screen.getByText('— per hour');
  expect(screen.queryByRole('list', { name: 'Members' })).toBeNull();
});

it.each([
  ['wrongType', /has another type than a list/],
  ['unreadable', /cannot be read, and its messages are not shown/],
] as const)('says that a key of the conversation is not shown: %s', async (problem, words) => {
  serve(page([message('m1')], { problem }));
  open();
  await screen.findByText(words);
  expect(await shown()).toHaveLength(1);
});

it('shows the first of many members, and how many more there are', async () => {
  serve(page([message('m1')], { members: Array.from({ length: 25 }, (_, i) => user(`u${i}`)) }));
  open();
  const members = within(await screen.findByRole('list', { name: 'Members' }));
  expect(members.getAllByRole('link')).toHaveLength(20);
  members.getByText('and 5 more');
});

it.each([
  ['admin', true],
  ['support', false],
  ['product', false],
] as const)('offers %s to delete a message: %s', async (role, offered) => {
  serve(page([message('m1')]));
  open('', { role });
  await shown();
  expect(screen.queryByRole('button', { name: 'Delete message text of m1' }) !== null).toBe(offered);
});

it('deletes a message on production after showing it and its copies, and offers Undo', async () => {
  serve(page([message('m2'), message('m1')]));
  api.answer(conversationContracts.deleteMessage, () => {
    serve(page([message('m2')]));
    const undoUntil = new Date(Date.now() + 60_000).toISOString();
    return { deleted: true, messages: 1, auditId: AUDIT_ID, undoUntil };
  });
  const { user: hand, fill } = open('', { role: 'admin', connection: { environment: 'production' } });
  await hand.click(await screen.findByRole('button', { name: 'Delete message text of m1' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Delete message' }));
  drawer.getByText('text of m1');
  drawer.getByText(/deleted from the conversation in this Redis/);
  drawer.getByText(/other copies: the application’s database/);
  const verb = drawer.getByRole('button', { name: 'Delete message' });
  expect(verb).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/Production: type/), 'demo');
  await fill(drawer.getByLabelText('Reason'), 'Asked for by its author');
  await hand.click(verb);
  const done = await screen.findByText('Message deleted · 1 message left');
  within(done.closest('[role=status]')!).getByRole('button', { name: 'Undo' });
  expect(api.asked(conversationContracts.deleteMessage)).toEqual([
    { ...NAMED, messageId: 'm1', reason: 'Asked for by its author', confirm: 'demo' },
  ]);
  await waitFor(async () => expect(await shown()).toHaveLength(1));
});

it('says that a message changed since it was read, and does not try again', async () => {
  serve(page([message('m1', { problem: 'missing', content: null })]));
  api.refuse(conversationContracts.deleteMessage, 'changed', 'It changed.');
  const { user: hand } = open();
  await hand.click(await screen.findByRole('button', { name: 'Delete message m1' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Delete message' }));
  drawer.getByText(/Its record is gone already/);
  const verb = drawer.getByRole('button', { name: 'Delete message' });
  const before = api.asked(conversationContracts.messages).length;
  await hand.click(verb);
  await drawer.findByText(/not as it was when you read it, so nothing was deleted/);
  expect(verb).toHaveProperty('disabled', true);
  // The list is read again behind the drawer.
  await waitFor(() => expect(api.asked(conversationContracts.messages).length).toBeGreaterThan(before));
});

it('shows why the messages cannot be read, and any other refusal of a deletion', async () => {
  serve(page([message('m1')]));
  api.refuse(conversationContracts.deleteMessage, 'read_only', 'This connection is read-only.');
  const { user: hand, unmount } = open();
  await hand.click(await screen.findByRole('button', { name: 'Delete message text of m1' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Delete message' }));
  await hand.click(drawer.getByRole('button', { name: 'Delete message' }));
  await drawer.findByText('This connection is read-only.');
  unmount();
  api.refuse(conversationContracts.messages, 'not_found', 'The conversation was not found.');
  open();
  expect(textOf(await screen.findByRole('alert'))).toContain('The conversation was not found.');
});

it('shows what comes after the messages only with them, so that nothing moves when they are there', async () => {
  const answer = api.hold(conversationContracts.messages, page([message('m1')]));
  renderAt(
    '/demo/entities?kind=social.chat&id=1_4',
    <Conversation {...NAMED}>
      <p>its keys</p>
    </Conversation>,
    { role: 'admin' },
  );
  await screen.findByRole('heading', { name: 'Conversation' });
  expect(screen.queryByText('its keys')).toBeNull();
  answer();
  expect(textOf(await screen.findByText('its keys'))).toBe('its keys');
  expect(await shown()).toHaveLength(1);
});
