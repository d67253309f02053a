import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Guard from '@/app/(console)/[connection]/guard/page';
import type { Result } from '@/lib/contract';
import { type AddedIp, type BlacklistedIp, type BlockedProject, guardContracts } from '@/lib/guard/schema';
import { type IpTraffic, type TrafficIp, trafficContracts } from '@/lib/guard/traffic/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';
const IP = '198.18.20.1';
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
const audited = { auditId: AUDIT_ID, undoUntil: inHours(1) };
const idOf = (text: string): string => btoa(text).replace(/[+/=]/g, '_');

const trafficIp = (ip: string, change: Partial<TrafficIp> = {}): TrafficIp => ({
  memberId: idOf(ip),
  ip,
  kind: 'address',
  firstAddress: ip,
  requests: 150,
  requestsExact: null,
  share: 0.1,
  overThreshold: false,
  blacklisted: false,
  banText: ip,
  notBannable: null,
  own: false,
  firstSeenAt: null,
  new: false,
  ratePerSecond: 2,
  crossesInSeconds: null,
  periods: [],
  ...change,
});

const serveTraffic = (items: TrafficIp[], change: Partial<IpTraffic> = {}): void =>
  api.answer(trafficContracts.ipsTop, {
    items,
    nextCursor: null,
    exact: true,
    chains: [],
    total: 1000,
    totalExact: null,
    ips: items.length,
    unreadable: 0,
    distribution: [{ from: 100, to: 1000, ips: items.length }],
    threshold: 200,
    periodSeconds: 60,
    periodEndsAt: null,
    periodEnds: [],
    watchedSince: null,
    inForceWithinSeconds: 15,
    sampledAt: inHours(0),
    problem: null,
    ...change,
  });

const banned = (member: string, change: Partial<BlacklistedIp> = {}): BlacklistedIp => ({
  memberId: idOf(member),
  member,
  ip: member,
  neverMatches: null,
  note: null,
  author: null,
  bannedAt: null,
  expiresAt: null,
  notLifted: null,
  requests: null,
  requestsExact: null,
  protected: false,
  own: false,
  ...change,
});

const pageOf = <T,>(items: T[]) => ({
  items,
  nextCursor: null,
  examined: items.length,
  total: items.length,
  inForceWithinSeconds: 15,
});

const serveBlacklist = (items: BlacklistedIp[]): void =>
  api.answer(guardContracts.blacklistList, ({ q }) =>
    pageOf(items.filter(({ member }) => !q || member.includes(q))),
  );

/** Answers for each line by what is known of it; what is not is added. */
const serveBans = (known: Record<string, Partial<AddedIp>>): void =>
  api.answer(guardContracts.blacklistAdd, ({ ips, dryRun, expiresAt = null }) => {
    const items = ips.map(
      (input): AddedIp => ({
        input,
        ip: input,
        status: 'added',
        reason: null,
        warning: null,
        ...known[input],
      }),
    );
    return {
      items,
      added: items.filter(({ status }) => status === 'added').length,
      expiresAt,
      inForceWithinSeconds: 15,
      auditId: dryRun ? null : AUDIT_ID,
      undoUntil: dryRun ? null : inHours(1),
    };
  });
const bans = (): Result<typeof guardContracts.blacklistAdd>[] | unknown[] =>
  api.asked(guardContracts.blacklistAdd).filter(({ dryRun }) => !dryRun);

const openBan = async (ip = IP) => {
  serveBlacklist([]);
  const view = renderAt(`/demo/guard?ban=${encodeURIComponent(ip)}`, <Guard />);
  const dialog = await screen.findByRole('dialog', { name: 'Ban addresses' });
  return { ...view, dialog, drawer: within(dialog) };
};

it('shows the share of the threshold that an address uses, and whether it is banned', {
  tags: ['long'],
}, async () => {
  serveTraffic([
    trafficIp(IP),
    trafficIp('198.18.20.2', { requests: 201, overThreshold: true }),
    trafficIp('198.18.20.3', { requests: 400, overThreshold: true, blacklisted: true, banText: null }),
  ]);
  const { user } = renderAt('/demo/guard?top=1000', <Guard />);
  const row = await rowWith(IP);
  expect(api.asked(trafficContracts.ipsTop)[0]).toEqual({ map: 'currentPeriod', limit: 1000 });
  expect(textOf(row)).toContain('150');
  expect(textOf(row)).toContain('75.0%');
  expect(textOf(row)).toContain('not banned');
  expect(textOf(row)).not.toContain('over threshold');
  expect(textOf(await rowWith('198.18.20.2'))).toContain('over threshold');
  const there = await rowWith('198.18.20.3');
  expect(textOf(there)).not.toContain('not banned');
  expect(screen.queryByRole('button', { name: 'Ban 198.18.20.3' })).toBeNull();
  serveBans({});
  await user.click(screen.getByRole('button', { name: `Ban ${IP}` }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Ban addresses' }));
  expect(drawer.getByLabelText(/^Addresses/)).toHaveProperty('value', IP);
  await drawer.findByText('1 will be banned');
});

it('keeps the address of an open ban while the rows move under it', { tags: 'long' }, async () => {
  serveTraffic([trafficIp(IP, { requests: 190 }), trafficIp('198.18.20.2', { requests: 100 })]);
  serveBans({});
  const { user } = renderAt('/demo/guard', <Guard />);
  await rowWith(IP);
  await user.click(screen.getByRole('button', { name: `Ban ${IP}` }));
  const field = within(await screen.findByRole('dialog', { name: 'Ban addresses' })).getByLabelText(
    /^Addresses/,
  );
  const before = api.asked(trafficContracts.ipsTop).length;
  serveTraffic([trafficIp('198.18.20.2', { requests: 900 })]);
  await waitFor(() => expect(api.asked(trafficContracts.ipsTop).length).toBeGreaterThan(before), {
    timeout: 5000,
  });
  expect(field).toHaveProperty('value', IP);
});

it('shows chains and other text with the address they claim, and offers no ban', async () => {
  const chain = '198.18.21.1, 10.0.0.2';
  const junk = '<img src=x onerror=alert(20)>\\u202e';
  serveTraffic(
    [
      trafficIp(chain, {
        kind: 'chain',
        firstAddress: '198.18.21.1',
        overThreshold: true,
        banText: null,
        notBannable: 'It is a forwarded chain.',
      }),
      trafficIp(junk, { kind: 'text', firstAddress: null, banText: null, notBannable: 'Not an IP address.' }),
    ],
    {
      chains: [{ firstAddress: '198.18.21.1', fields: 2, requests: 700, requestsExact: null }],
      unreadable: 1,
    },
  );
  renderAt('/demo/guard', <Guard />);
  const row = await rowWith(chain);
  expect(textOf(row)).toContain('forwarded chain');
  expect(textOf(row)).toContain('claims to be 198.18.21.1');
  expect(textOf(row)).toContain('over threshold');
  expect(within(row).queryByRole('button')).toBeNull();
  const rubbish = await rowWith('<img src=x');
  expect(textOf(rubbish)).toContain('not an address');
  expect(within(rubbish).queryByRole('button')).toBeNull();
  expect(document.querySelector('img')).toBeNull();
  const claimed = within(screen.getByRole('table', { name: 'Forwarded chains' }));
  expect(textOf(claimed.getAllByRole('row').find((each) => textOf(each).includes('198.18.21.1')))).toContain(
    '700',
  );
  screen.getByText(/1 unreadable count left out/);
  expect(screen.queryByText('estimate: addresses were removed while they were counted')).toBeNull();
});

it('marks sums over a map that lost addresses meanwhile as estimates', async () => {
  serveTraffic([trafficIp(IP)], { exact: false });
  renderAt('/demo/guard', <Guard />, { role: 'support' });
  expect(await screen.findAllByText('estimate: addresses were removed while they were counted')).toHaveLength(
    2,
  );
});

it('reports a map of the wrong type, and an empty one', { tags: ['long'] }, async () => {
  serveTraffic([], { problem: 'The key CurrentPeriodMap is not a hash.' });
  const { unmount } = renderAt('/demo/guard', <Guard />, { role: 'support' });
  const title = await screen.findByText('Requests are unreadable');
  expect(textOf(title.closest('[role=alert]'))).toContain('CurrentPeriodMap');
  unmount();
  serveTraffic([]);
  renderAt('/demo/guard', <Guard />, { role: 'support' });
  await screen.findByText('No requests in this period');
  expect(screen.queryByText('Requests are unreadable')).toBeNull();
});

it('shows the sums of all time without a threshold, and keeps the choice in the URL', {
  tags: ['long'],
}, async () => {
  serveTraffic([trafficIp(IP, { requests: 123_456 })]);
  const { user } = renderAt('/demo/guard', <Guard />, { role: 'support' });
  await rowWith(IP);
  screen.getByRole('columnheader', { name: 'Of threshold' });
  await user.click(screen.getByText('All time'));
  expect(window.location.search).toBe('?map=all');
  await waitFor(() => expect(api.asked(trafficContracts.ipsTop).at(-1)).toMatchObject({ map: 'all' }));
  await screen.findByText('Requests of all time');
  expect(textOf(await rowWith(IP))).toContain('123,456');
  expect(screen.queryByRole('columnheader', { name: 'Of threshold' })).toBeNull();
});

it('shows a result for every pasted line', { tags: ['long'] }, async () => {
  serveBlacklist([]);
  const reasons = {
    '198.18.7.0/24': 'A network: the collector matches single addresses only.',
    '<b>': 'Not an IP address.',
  };
  serveBans({
    '2001:DB8:0::7:1': { ip: '2001:db8::7:1' },
    '198.18.7.0/24': { ip: null, status: 'invalid', reason: reasons['198.18.7.0/24'] },
    '10.1.2.3': { status: 'protected', reason: 'A protected address.' },
    '198.18.7.9': { status: 'already' },
    '<b>': { ip: null, status: 'invalid', reason: reasons['<b>'] },
  });
  const { user, fill } = renderAt('/demo/guard?tab=bans', <Guard />);
  await user.click(await screen.findByRole('button', { name: 'Ban addresses' }));
  const dialog = await screen.findByRole('dialog', { name: 'Ban addresses' });
  await waitFor(() => expect(textOf(dialog)).toContain('Takes effect within 15 seconds'));
  expect(textOf(dialog)).toContain('429');
  const pasted = ['198.18.7.1', ' 2001:DB8:0::7:1 ', '198.18.7.0/24', '10.1.2.3', '198.18.7.9', '<b>'];
  await fill(within(dialog).getByLabelText(/^Addresses/), pasted.join('\r\n'));
  await fill(within(dialog).getByLabelText('Reason'), 'Ticket 31: floods us');
  const ban = within(dialog).getByRole('button', { name: 'Ban 6 addresses' });
  await waitFor(() => expect(ban).toHaveProperty('disabled', false));
  await user.click(ban);
  await screen.findByRole('heading', { name: '2 of 6 entries banned' });
  const lines = rowsOf('2 of 6 entries banned').map(textOf);
  for (const [i, text] of [
    [0, 'added'],
    [1, 'Stored as 2001:db8::7:1'],
    [2, 'A network'],
    [3, 'protected'],
    [4, 'already there'],
    [5, 'Not an IP address.'],
  ] as const)
    expect(lines[i]).toContain(text);
  await screen.findByText('2 addresses banned, takes effect within 15 s');
  expect(bans()).toMatchObject([
    { ips: pasted.map((line) => line.trim()), dryRun: false, reason: 'Ticket 31: floods us' },
  ]);
});

it('bans for 24 hours with a note unless another end is chosen, from a proposal that leaves the URL afterwards', {
  tags: ['long'],
}, async () => {
  serveBans({});
  const { user, fill, drawer } = await openBan();
  await drawer.findByText('1 will be banned');
  await fill(drawer.getByLabelText(/^Note/), 'Scraper of the news pages');
  serveBlacklist([banned(IP, { note: 'Scraper of the news pages', expiresAt: inHours(23.9) })]);
  await user.click(drawer.getByRole('button', { name: 'Ban 1 address' }));
  await screen.findByText('1 address banned, takes effect within 15 s');
  expect(window.location.search).toBe('?tab=bans');
  const [ban] = bans() as { note: string; expiresAt: string }[];
  expect(ban?.note).toBe('Scraper of the news pages');
  expect(Date.parse(ban!.expiresAt) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  const row = await rowWith('Scraper of the news pages');
  expect(textOf(row)).toMatch(/in 23\sh|in 1\sd/);
});

it('keeps the rows of a list while a search for others is under way', { tags: ['long'] }, async () => {
  serveBlacklist([banned(IP), banned('198.18.20.2')]);
  const { fill } = renderAt('/demo/guard?tab=bans', <Guard />);
  await rowWith(IP);
  const release = api.hold(guardContracts.blacklistList, pageOf([banned('198.18.20.2')]));
  await fill(screen.getByRole('searchbox'), '20.2');
  await waitFor(() => expect(api.asked(guardContracts.blacklistList).at(-1)).toMatchObject({ q: '20.2' }));
  expect(await rowWith(IP)).toBeTruthy();
  release();
  await waitFor(() => expect(screen.queryByText(IP)).toBeNull());
});

it('changes the note and the expiry of a ban, once one of them differs', { tags: ['long'] }, async () => {
  serveBlacklist([banned(IP, { note: 'A note', expiresAt: inHours(23.9) })]);
  api.answer(guardContracts.blacklistAnnotate, { changed: 1, notThere: 0, ...audited });
  const { user, fill } = renderAt(`/demo/guard?tab=bans&q=${IP}`, <Guard />);
  await user.click(await screen.findByRole('button', { name: `Edit note or expiry of ${IP}` }));
  const change = within(await screen.findByRole('dialog', { name: 'Edit note or expiry' }));
  const save = change.getByRole('button', { name: 'Save note and expiry' });
  expect(save).toHaveProperty('disabled', true);
  await fill(change.getByLabelText('Note'), 'It is a partner: ask first');
  await user.click(change.getByText('For ever'));
  await user.click(save);
  await screen.findByText('Note and expiry saved');
  expect(api.asked(guardContracts.blacklistAnnotate)).toEqual([
    { memberIds: [idOf(IP)], note: 'It is a partner: ask first', expiresAt: null },
  ]);
});

it('bans for ever where that is chosen', { tags: ['long'] }, async () => {
  serveBans({});
  const { user, drawer } = await openBan();
  await drawer.findByText('1 will be banned');
  await user.click(drawer.getByText('For ever'));
  await drawer.findByText('The ban stays until somebody lifts it.');
  serveBlacklist([banned(IP)]);
  await user.click(drawer.getByRole('button', { name: 'Ban 1 address' }));
  await screen.findByText('1 address banned, takes effect within 15 s');
  expect(bans()[0]).not.toHaveProperty('expiresAt');
});

it('bans your own address only after consent, and protected addresses never', { tags: 'long' }, async () => {
  const own = '127.0.0.1';
  serveBans({
    [own]: { warning: 'It is your own address.' },
    '10.4.4.4': { status: 'protected', reason: 'A protected address.' },
  });
  const { user, fill, drawer } = await openBan(own);
  await drawer.findByText('This bans your own address');
  const ban = () => drawer.getByRole('button', { name: 'Ban 1 address' });
  expect(ban()).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/^Addresses/), '10.4.4.4');
  await drawer.findByText('Nothing new to ban · 1 protected');
  drawer.getByText('A protected address.', { exact: false });
  await fill(drawer.getByLabelText(/^Addresses/), own);
  await user.click(await drawer.findByRole('checkbox', { name: 'I understand: ban my own address too' }));
  await user.click(ban());
  await screen.findByText('1 address banned, takes effect within 15 s');
});

it('explains why an entry never matches, and lifts a ban', { tags: ['long'] }, async () => {
  serveBlacklist([
    banned('198.18.9.0/24', { ip: null, neverMatches: 'The collector matches single addresses only.' }),
    banned('<script>alert(9)</script>', { ip: null, neverMatches: 'Not an IP address.' }),
    banned(IP, { note: 'Ticket 32' }),
  ]);
  api.answer(guardContracts.blacklistRemove, {
    removed: 1,
    alreadyGone: 0,
    inForceWithinSeconds: 15,
    ...audited,
  });
  const { user, fill } = renderAt('/demo/guard?tab=bans', <Guard />);
  const row = await rowWith('198.18.9.0/24');
  expect(textOf(row)).toContain('never matches');
  expect(textOf(row)).toContain('matches single addresses only');
  await rowWith('<script>alert(9)</script>');
  await user.click(screen.getByRole('button', { name: `Remove ${IP}` }));
  const dialog = within(await screen.findByRole('dialog'));
  await fill(dialog.getByLabelText('Reason'), 'Ticket 33: it was a customer');
  await user.click(dialog.getByRole('button', { name: 'Lift 1 ban' }));
  await screen.findByText('1 ban lifted, takes effect within 15 s');
  expect(api.asked(guardContracts.blacklistRemove)).toEqual([
    { memberIds: [idOf(IP)], reason: 'Ticket 33: it was a customer' },
  ]);
});

it('shows support what was done to an address, and when there is more', { tags: ['long'] }, async () => {
  serveBlacklist([banned(IP)]);
  api.answer(guardContracts.entryHistory, {
    items: [
      {
        auditId: AUDIT_ID,
        at: new Date().toISOString(),
        actor: 'ann@example.org',
        action: 'guard.blacklist.add',
        reason: 'Ticket <b>31</b>',
        outcome: 'succeeded',
        undoneBy: null,
      },
    ],
    nextCursor: 'more',
  });
  const { user } = renderAt('/demo/guard?tab=bans', <Guard />, { role: 'support' });
  await user.click(await screen.findByRole('button', { name: `History of ${IP}` }));
  const drawer = within(await screen.findByRole('dialog', { name: `History of ${IP}` }));
  await drawer.findByText('Ban addresses');
  drawer.getByText('Ticket <b>31</b>');
  drawer.getByText('Older changes are in the audit log.');
  expect(drawer.queryByRole('link', { name: 'All changes' })).toBeNull();
  expect(api.asked(guardContracts.entryHistory)).toMatchObject([{ set: 'bans', entry: IP }]);
});

it('leads from the history of a project to all of its entries in the audit log', async () => {
  const text = 'e2e000000000000000000001';
  serveTraffic([]);
  const project = { memberId: idOf(text), member: text, projectId: text, valid: true, blockedAt: null };
  const shown = { ...project, name: 'Shop <b>', note: null, author: null, byKeyward: false };
  api.answer(guardContracts.projectsList, { ...pageOf([shown]), inForceWithinSeconds: 5 });
  api.answer(guardContracts.entryHistory, { items: [], nextCursor: null });
  const { user } = renderAt('/demo/guard?tab=projects', <Guard />);
  const row = textOf(await rowWith(text));
  expect(row).toContain('Shop <b>');
  expect(row).toContain('outside Keyward');
  await user.click(await screen.findByRole('button', { name: `History of ${text}` }));
  const link = await screen.findByRole('link', { name: 'All changes' });
  const { searchParams } = new URL(link.getAttribute('href')!, window.location.origin);
  expect([...searchParams]).toEqual([
    ['connection', 'demo'],
    ['subject', `project:${text}`],
  ]);
});

it('does not claim that a project was blocked outside Keyward while its store is unreachable', async () => {
  const text = 'e2e000000000000000000001';
  serveTraffic([]);
  const project = { memberId: idOf(text), member: text, projectId: text, valid: true, blockedAt: null };
  const shown = { ...project, name: null, note: null, author: null, byKeyward: null };
  api.answer(guardContracts.projectsList, { ...pageOf([shown]), inForceWithinSeconds: 5 });
  renderAt('/demo/guard?tab=projects', <Guard />);
  expect(textOf(await rowWith(text))).not.toContain('Keyward');
});

it('blocks projects, refuses lines that are not project ids, and removes entries that block nothing', {
  tags: 'long',
}, async () => {
  const [first, second] = ['e2e000000000000000000001', 'E2E000000000000000000002'] as const;
  const member = (text: string, valid = true): BlockedProject => ({
    memberId: idOf(text),
    member: text,
    projectId: valid ? text : null,
    name: null,
    valid,
    note: valid ? 'Ticket 35: does not pay' : null,
    author: valid ? 'ann@example.org' : null,
    blockedAt: valid ? new Date().toISOString() : null,
    byKeyward: valid,
  });
  const serve = (items: BlockedProject[]) =>
    api.answer(guardContracts.projectsList, { ...pageOf(items), inForceWithinSeconds: 5 });
  serveTraffic([]);
  serve([]);
  const { user, fill } = renderAt('/demo/guard', <Guard />);
  await user.click(screen.getByRole('tab', { name: 'Blocked projects' }));
  expect(window.location.search).toBe('?tab=projects');
  await user.click(await screen.findByRole('button', { name: 'Block projects' }));
  const dialog = await screen.findByRole('dialog', { name: 'Block projects' });
  const drawer = within(dialog);
  await waitFor(() => expect(textOf(dialog)).toContain('Takes effect within 5 seconds'));
  expect(textOf(dialog)).toContain('402');
  await fill(drawer.getByLabelText(/^Project ids/), `${first}\nnot-one`);
  await drawer.findByText(/This line is not a project id/);
  const block = drawer.getByRole('button', { name: 'Block 2 projects' });
  expect(block).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/^Project ids/), `${first}\n${second}`);
  api.answer(guardContracts.projectsBlock, ({ projectIds }) => ({
    added: 2,
    already: 0,
    items: projectIds.map((projectId) => ({ projectId: projectId.toLowerCase(), status: 'added' as const })),
    inForceWithinSeconds: 5,
    ...audited,
  }));
  serve([member(first), member('not-a-project', false)]);
  await user.click(block);
  await screen.findByText('2 projects blocked, takes effect within 5 s');
  const wrong = await rowWith('not-a-project');
  expect(textOf(wrong)).toContain('blocks nothing');
  expect(textOf(await rowWith('Ticket 35'))).toMatch(/Ticket 35: does not pay.*ann@example.org.*now/);
  await user.click(within(wrong).getByRole('checkbox'));
  await user.click(screen.getByRole('checkbox', { name: `Select ${first}` }));
  await user.click(screen.getByRole('button', { name: 'Unblock 2 projects' }));
  api.answer(guardContracts.projectsUnblock, {
    removed: 2,
    alreadyGone: 0,
    inForceWithinSeconds: 5,
    auditId: 'audit-2',
    undoUntil: null,
  });
  const question = within(await screen.findByRole('dialog'));
  await user.click(question.getByRole('button', { name: 'Unblock 2 projects' }));
  await screen.findByText('2 projects unblocked, takes effect within 5 s');
  const [asked] = api.asked(guardContracts.projectsUnblock);
  expect(asked?.memberIds?.toSorted()).toEqual([first, 'not-a-project'].map(idOf).toSorted());
});

it('shows support everything and offers no change', { tags: ['long'] }, async () => {
  serveTraffic([trafficIp(IP, { requests: 205, overThreshold: true })]);
  const first = renderAt('/demo/guard?top=1000', <Guard />, { role: 'support' });
  expect(textOf(await rowWith(IP))).toContain('over threshold');
  expect(screen.queryByRole('button', { name: `Ban ${IP}` })).toBeNull();
  first.unmount();
  serveBlacklist([banned('198.18.10.9')]);
  renderAt('/demo/guard?ban=198.18.10.1', <Guard />, { role: 'support' });
  await rowWith('198.18.10.9');
  expect(textOf(screen.getByText(/is not banned yet/))).toContain('198.18.10.1 is not banned yet');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.queryByRole('button', { name: /^(Ban|Lift|Edit)/ })).toBeNull();
  expect(screen.queryByRole('checkbox')).toBeNull();
});

it('shows a viewer nothing', () => {
  renderAt('/demo/guard', <Guard />, { role: 'viewer' });
  expect(screen.queryByRole('table')).toBeNull();
  expect(screen.queryByRole('tab')).toBeNull();
});

it('has the parts that the catalog has families for', async () => {
  serveBlacklist([banned(IP)]);
  const bans = renderAt('/demo/guard', <Guard />, { connection: { roles: ['ban-list'] } });
  const tabs = () => screen.getAllByRole('tab').map(textOf);
  expect(tabs()).toEqual(['Bans', 'History']);
  await rowWith(IP);
  bans.unmount();
  serveTraffic([trafficIp(IP, { blacklisted: null })]);
  renderAt('/demo/guard?tab=limits', <Guard />, { connection: { roles: ['period-request-counts'] } });
  expect(tabs()).toEqual(['Traffic']);
  await rowWith(IP);
  // Without a ban list there is nothing to ban with, and without totals no choice of them.
  expect(screen.queryByRole('button', { name: /^Ban/ })).toBeNull();
  expect(screen.queryByRole('radio', { name: 'All time' })).toBeNull();
});
