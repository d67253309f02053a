import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Channels from '@/app/(console)/[connection]/channels/page';
import { type ChannelRow, channelContracts, type LiveMessage } from '@/lib/channels/schema';
import type { Result } from '@/lib/contract';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';
import { EMPTY_DRAFT, payloadOf } from './message-shapes';
import { TailBuffer } from './tail-buffer';

const api = fakeApi();
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';
const NOW = '2026-01-02T03:04:05.678Z';
const idOf = (name: string): string => Buffer.from(name).toString('base64url');

const row = (channel: string, change: Partial<ChannelRow> = {}): ChannelRow => ({
  kind: 'channel',
  channel,
  channelId: idOf(channel),
  family: null,
  familyTitle: null,
  subscribers: 0,
  messagesPerSecond: null,
  watched: false,
  ...change,
});

const message = (id: string, change: Partial<LiveMessage> = {}): LiveMessage => ({
  id,
  at: NOW,
  kind: 'channel',
  channel: 'news',
  channelId: idOf('news'),
  pattern: null,
  family: null,
  familyTitle: null,
  payload: `payload ${id}`,
  fields: {},
  truncated: false,
  bytes: 9,
  masked: false,
  revealable: false,
  ...change,
});

type List = Result<typeof channelContracts.list>;
const serve = (items: ChannelRow[], change: Partial<List> = {}): void => {
  api.answer(channelContracts.list, ({ q }) => ({
    items: items.filter(({ channel }) => !q || channel.includes(q)),
    nextCursor: null,
    active: items.length,
    complete: true,
    patterns: 0,
    patternClients: 0,
    sharded: true,
    sampledAt: NOW,
    missingNodes: [],
    ...change,
  }));
};

type Events = Parameters<typeof api.tell<typeof channelContracts.tail>>[1];
const tell = (messages: LiveMessage[], skipped = 0, staysOpen = true, others: Events = []): void =>
  api.tell(
    channelContracts.tail,
    [
      { event: 'progress', data: { at: NOW, matched: 9, sent: 9, skipped: 0, messagesPerSecond: 1234 } },
      ...(skipped > 0
        ? [{ event: 'gap', data: { skipped, reason: 'too_many' as const, since: null, until: null } }]
        : []),
      ...messages.map((data) => ({ event: 'message', data })),
      ...others,
    ],
    staysOpen,
  );

const open = (search = '', options: Parameters<typeof renderAt>[2] = { role: 'admin' }) =>
  renderAt(`/demo/channels${search}`, <Channels />, options);
const tail = () => within(screen.getByRole('region', { name: 'Live messages' }));

it('lists channels by family with subscribers and rates, and what Redis does not disclose', async () => {
  serve(
    [
      row('news', {
        familyTitle: 'News of the press',
        subscribers: 1234,
        messagesPerSecond: 5.5,
        watched: true,
      }),
      row('<b>\\x0a', { subscribers: 0 }),
      row('n*', { kind: 'pattern', subscribers: null }),
      row('too long…', { channelId: null, subscribers: 2 }),
    ],
    { patterns: 3, patternClients: 2 },
  );
  open();
  const news = await rowWith('1,234');
  expect(cellOf(news, 'Family')).toBe('News of the press');
  expect(['Channel', 'Subscribers', 'Messages'].map((heading) => cellOf(news, heading))).toEqual([
    'news',
    '1,234',
    '5.5/s',
  ]);
  const pattern = await rowWith('n*');
  expect([cellOf(pattern, 'Subscribers'), cellOf(pattern, 'Messages')]).toEqual(['—', '—']);
  expect(within(await rowWith('too long')).queryByRole('button')).toBeNull();
  expect(document.querySelector('tbody b')).toBeNull();
  screen.getByText('4 active channels · 3 patterns');
  screen.getByText(/^2 other clients subscribe to patterns/);
});

it('watches what is chosen, in the address, and begins with the history', { tags: ['long'] }, async () => {
  serve([row('news'), row('jobs')]);
  tell([message('1')]);
  const { user, fill } = open();
  await user.click(await screen.findByRole('button', { name: 'Watch news' }));
  await waitFor(() => expect(window.location.search).toBe(`?watch=c.${idOf('news')}`));
  expect(api.asked(channelContracts.tail)[0]).toMatchObject({
    channelIds: [idOf('news')],
    replay: 100,
    filter: {},
  });
  await user.click(screen.getByRole('button', { name: 'Watch jobs' }));
  await fill(screen.getByRole('textbox', { name: 'Pattern' }), 'n:*');
  await user.click(screen.getByRole('button', { name: 'Watch pattern' }));
  await waitFor(() =>
    expect(api.asked(channelContracts.tail).at(-1)).toMatchObject({
      channelIds: [idOf('news'), idOf('jobs')],
      patternIds: [idOf('n:*')],
    }),
  );
  const watched = screen.getByRole('list', { name: 'Watched' });
  expect(within(watched).getAllByRole('listitem').map(textOf)).toEqual(['news', 'jobs', 'n:*']);
  await user.click(within(watched).getByRole('button', { name: 'Stop watching jobs' }));
  await waitFor(() => expect(within(watched).getAllByRole('listitem')).toHaveLength(2));
});

it('shows messages newest first with rate and what was skipped, and one of them completely', {
  tags: ['long'],
}, async () => {
  serve([row('news')]);
  const fields = {
    type: 'comment',
    action: 'created',
    entity_type: 'shout',
    entity_id: 456,
    'data.title': 'T',
  };
  const payload = '{"type":"comment","deep":{"er":"<img src=x>"}}';
  tell([message('1'), message('2', { fields, payload, truncated: true, masked: true })], 4321);
  const { user } = open(`?watch=c.${idOf('news')}`);
  await waitFor(() => expect(rowsOf('Messages')).toHaveLength(2));
  const [newest, older] = rowsOf('Messages');
  expect(cellOf(newest!, 'Time')).toBe('03:04:05.678');
  expect(['Kind', 'Entity', 'Message'].map((heading) => cellOf(newest!, heading))).toEqual([
    'comment · created',
    'shout:456',
    'T',
  ]);
  expect(cellOf(older!, 'Message')).toBe('payload 1');
  tail().getByText('1,234/s matching · 2 shown · 4,321 skipped');
  await user.click(newest!);
  const drawer = await screen.findByRole('dialog', { name: 'Message' });
  for (const text of ['456', 'Only the beginning is shown', 'Secrets are masked', '<img src=x>'])
    expect(textOf(drawer)).toContain(text);
  expect(document.querySelector('img')).toBeNull();
});

it('reveals a masked message to whoever may, where the catalog allows it', { tags: 'long' }, async () => {
  serve([row('news')]);
  const masked = message('1', { masked: true, revealable: true });
  tell([masked, message('2', { masked: true })]);
  api.answer(channelContracts.reveal, { payload: 'swordfish', auditId: 'audit-1' });
  const show = async (at: number, role: 'admin' | 'support') => {
    const view = open(`?watch=c.${idOf('news')}`, { role });
    await waitFor(() => expect(rowsOf('Messages')).toHaveLength(2));
    await view.user.click(rowsOf('Messages')[at]!);
    const drawer = within(await screen.findByRole('dialog', { name: 'Message' }));
    return { ...view, drawer, button: drawer.queryByRole('button', { name: 'Reveal' }) };
  };
  const { user, drawer, button, unmount } = await show(1, 'admin');
  await user.click(button!);
  await drawer.findByText('swordfish');
  expect(drawer.queryByText('Secrets are masked.')).toBeNull();
  expect(api.asked(channelContracts.reveal)).toEqual([{ channelId: masked.channelId, messageId: '1' }]);
  unmount();
  for (const [at, role] of [
    [0, 'admin'],
    [1, 'support'],
  ] as const) {
    const view = await show(at, role);
    expect(view.button).toBeNull();
    view.unmount();
  }
});

it('shows no rate once the stream has ended', async () => {
  serve([row('news')]);
  tell([message('1')], 0, false);
  open(`?watch=c.${idOf('news')}`);
  await screen.findByText(/The stream ended/);
  await waitFor(() => expect(rowsOf('Messages')).toHaveLength(1));
  expect(tail().queryByText(/1,234/)).toBeNull();
});

it('says when messages may be missing, until that was read', { tags: ['long'] }, async () => {
  serve([row('news')]);
  const lost = { skipped: null, reason: 'connection_lost' as const, since: NOW, until: NOW };
  tell([], 0, true, [{ event: 'gap', data: lost }]);
  const { user } = open(`?watch=c.${idOf('news')}`);
  const alert = await screen.findByText(/^The connection to Redis was lost: messages between/);
  await user.click(screen.getByRole('button', { name: 'Dismiss' }));
  await waitFor(() => expect(alert.isConnected).toBe(false));
});

it('watches a pattern with a secret by its sealed id', async () => {
  serve([row('session:42:•••', { kind: 'pattern', channelId: 's.AAAA', subscribers: null })]);
  tell([]);
  const { user } = open();
  await user.click(await screen.findByRole('button', { name: 'Watch session:42:•••' }));
  await waitFor(() =>
    expect(api.asked(channelContracts.tail)).toMatchObject([{ patternIds: ['s.AAAA'], patterns: [] }]),
  );
});

it('keeps filters in the address, but no secret', { tags: 'long' }, async () => {
  serve([row('news')]);
  tell([]);
  const { fill } = open(`?watch=c.${idOf('news')}&type=comment`);
  await waitFor(() => expect(api.asked(channelContracts.tail)[0]?.filter).toEqual({ type: 'comment' }));
  await fill(tail().getByRole('textbox', { name: 'Action' }), 'created');
  await waitFor(() => expect(window.location.search).toContain('action=created'));
  const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'s'.repeat(43)}`;
  await fill(tail().getByRole('textbox', { name: 'Entity' }), token);
  await fill(tail().getByRole('searchbox', { name: 'Search messages' }), 'rivers');
  await waitFor(() => expect(window.location.search).toContain('text=rivers'));
  expect(window.location.search).not.toContain('eyJ');
  await waitFor(() =>
    expect(api.asked(channelContracts.tail).at(-1)?.filter).toEqual({
      type: 'comment',
      action: 'created',
      text: 'rivers',
    }),
  );
});

it('says why a tail is refused, and names no secret channel', async () => {
  serve([]);
  api.refuse(channelContracts.tail, 'bad_input', 'This is not a channel id of this connection.');
  open('?watch=c.s.AAAA,x.y,c.');
  expect(textOf(await screen.findByRole('alert'))).toContain('This is not a channel id of this connection.');
  expect(
    within(screen.getByRole('list', { name: 'Watched' }))
      .getAllByRole('listitem')
      .map(textOf),
  ).toEqual(['•••']);
});

it('publishes a notification after saying who listens, and how many received it', {
  tags: 'long',
}, async () => {
  serve([row('news')]);
  api.answer(channelContracts.audience, ({ channel }) => ({
    channel: channel ?? '',
    family: null,
    subscribers: 3,
    patternClients: 1,
  }));
  api.answer(channelContracts.publish, { receivers: 3, auditId: AUDIT_ID });
  const { user, fill } = open('', { role: 'admin', connection: { environment: 'production' } });
  await user.click(await screen.findByRole('button', { name: 'Publish' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Publish a message' }));
  const publish = drawer.getByRole('button', { name: 'Publish message' });
  await fill(drawer.getByRole('textbox', { name: 'Channel' }), 'news');
  await drawer.findByText(/^3 clients subscribe to this channel now. 1 client subscribes to patterns/);
  await fill(drawer.getByRole('textbox', { name: 'Type' }), 'greeting');
  await fill(drawer.getByRole('textbox', { name: 'User id' }), '123');
  await fill(drawer.getByRole('textbox', { name: 'Title' }), 'Hello');
  expect(publish).toHaveProperty('disabled', true);
  await fill(drawer.getByRole('textbox', { name: /to confirm/ }), 'demo');
  await user.click(publish);
  await screen.findByText('Published to 3 receivers');
  const [input] = api.asked(channelContracts.publish);
  expect(input).toMatchObject({ channel: 'news', sharded: false, confirm: 'demo' });
  expect(JSON.parse(input!.payload)).toMatchObject({
    type: 'greeting',
    user_id: 123,
    action: 'created',
    data: { title: 'Hello' },
    timestamp: expect.any(Number),
  });
});

it('publishes JSON to the watched channel, and no broken JSON', { tags: ['long'] }, async () => {
  serve([row('news')]);
  tell([]);
  api.answer(channelContracts.audience, {
    channel: 'news',
    family: null,
    subscribers: 0,
    patternClients: null,
  });
  api.answer(channelContracts.publish, { receivers: 0, auditId: AUDIT_ID });
  const { user, fill } = open(`?watch=c.${idOf('news')}`);
  await user.click(await screen.findByRole('button', { name: 'Publish' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Publish a message' }));
  await drawer.findByText(
    /^Nobody subscribes to this channel now. How many subscribe to patterns is not known/,
  );
  await user.click(drawer.getByRole('combobox', { name: 'Format' }));
  await user.click(await screen.findByRole('option', { name: 'JSON' }));
  const field = drawer.getByRole('textbox', { name: 'JSON' });
  await fill(field, '{"a":');
  drawer.getByText('This is not JSON.');
  expect(drawer.getByRole('button', { name: 'Publish message' })).toHaveProperty('disabled', true);
  await fill(field, '{"a": 1}');
  await user.click(drawer.getByRole('button', { name: 'Publish message' }));
  await screen.findByText('Published: nobody received it');
  expect(api.asked(channelContracts.publish)).toMatchObject([
    { channelId: idOf('news'), payload: '{"a": 1}' },
  ]);
});

it('publishes to another channel than the watched one', { tags: ['long'] }, async () => {
  serve([row('news')]);
  tell([]);
  api.answer(channelContracts.audience, { channel: '', family: null, subscribers: 0, patternClients: null });
  const { user } = open(`?watch=c.${idOf('news')}`);
  await user.click(await screen.findByRole('button', { name: 'Publish' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Publish a message' }));
  expect(drawer.queryByRole('textbox', { name: 'Channel' })).toBeNull();
  await user.click(drawer.getByRole('button', { name: 'Another channel' }));
  drawer.getByRole('textbox', { name: 'Channel' });
});

it('keeps ids as they are written', () => {
  const ids = (entityId: string, userId: string) => {
    const { entity_id, user_id } = JSON.parse(
      payloadOf('notification', { ...EMPTY_DRAFT, type: 'x', entityId, userId }, 0)!,
    );
    return [entity_id, user_id];
  };
  expect([...ids('007', '7'), ...ids('0', 'ada')]).toEqual(['007', 7, 0, 'ada']);
});

it.each(['support', 'product'] as const)('offers %s no publishing', async (role) => {
  serve([row('news')]);
  open('', { role });
  await rowWith('news');
  expect(screen.queryByRole('button', { name: 'Publish' })).toBeNull();
});

it('keeps five hundred messages, each once, and counts while it is paused', () => {
  const buffer = new TailBuffer();
  expect(buffer.take(false)).toBeNull();
  for (let i = 0; i < 700; i++) buffer.message(message(String(i)));
  buffer.message(message('699'));
  const shown = buffer.take(false)!;
  expect([shown.messages.length, shown.messages[0]!.id, shown.waiting]).toEqual([500, '699', 0]);
  for (let i = 700; i < 5000; i++) buffer.message(message(String(i)));
  buffer.gap({ skipped: 7, reason: 'too_many', since: null, until: null });
  const paused = buffer.take(true)!;
  expect([paused.messages[0]!.id, paused.waiting, paused.skipped]).toEqual(['699', 4300, 7]);
  const resumed = buffer.take(false)!;
  expect([resumed.messages[0]!.id, resumed.messages.length, resumed.waiting]).toEqual(['4999', 500, 0]);
  buffer.message(message('4999'));
  expect(buffer.take(false)).toBeNull();
});

const at = (second: number): string => `2026-01-02T03:04:0${second}.000Z`;
const progress = (second: number) => ({
  at: at(second),
  matched: 0,
  sent: 0,
  skipped: 0,
  messagesPerSecond: null,
});
const begun = (...ids: string[]): TailBuffer => {
  const buffer = new TailBuffer();
  buffer.begin();
  buffer.progress(progress(1));
  for (const id of ids) buffer.message(message(id, { at: at(2) }));
  return buffer;
};

it('says that messages may be missing after its stream was lost, unless what is replayed follows', () => {
  const buffer = begun('1');
  expect(buffer.take(false)!.lost).toBeNull();
  buffer.begin();
  buffer.progress(progress(5));
  expect(buffer.take(false)!.lost).toEqual({ since: at(2), until: at(5), isOwn: true });
  buffer.message(message('2', { at: at(3) }));
  expect(buffer.take(false)!.lost).not.toBeNull();
  buffer.begin();
  buffer.progress(progress(7));
  buffer.message(message('2', { at: at(3) }));
  buffer.message(message('3', { at: at(6) }));
  expect(buffer.take(false)!.lost).toBeNull();
});

it('does not tell again what was lost before its stream was', () => {
  const buffer = begun('1');
  const lost = { skipped: null, reason: 'connection_lost' as const, since: at(0), until: at(1) };
  buffer.gap(lost);
  buffer.dismiss();
  buffer.begin();
  buffer.progress(progress(5));
  buffer.gap(lost);
  expect(buffer.take(false)!.lost).toEqual({ since: at(2), until: at(5), isOwn: true });
  buffer.gap({ ...lost, since: at(3), until: at(4) });
  expect(buffer.take(false)!.lost).toMatchObject({ until: at(4), isOwn: false });
});

it('closes a gap that the lost stream cannot close any more', () => {
  const buffer = begun();
  const gap = { skipped: null, reason: 'connection_lost' as const, since: at(1), until: null };
  buffer.gap(gap);
  expect(buffer.take(false)!.lost).toMatchObject({ until: null });
  buffer.begin();
  buffer.progress(progress(5));
  expect(buffer.take(false)!.lost).toEqual({ since: at(1), until: at(5), isOwn: false });
  buffer.dismiss();
  expect(buffer.take(false)!.lost).toBeNull();
  buffer.gap(gap);
  expect(buffer.take(false)!.lost).toMatchObject({ until: null });
});
