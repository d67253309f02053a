import { act, screen, waitFor, within } from '@testing-library/react/pure';
import { afterEach, expect, it, vi } from 'vitest';
import { Problem } from '@/lib/errors';
import { type KeyDetails, keyContracts } from '@/lib/keys/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { collection, keyDetails, keyIdOf, masked, shown, stringOf } from '@/scripts/testing/key-details';
import { renderAt, textOf } from '@/scripts/testing/render';
import { InspectorPage } from './inspector-page';

const api = fakeApi();

afterEach(() => {
  vi.useRealTimers();
});

type Options = Parameters<typeof renderAt>[2];

const open = async (details: KeyDetails, options: Options = {}, search = '') => {
  api.answer(keyContracts.get, details);
  const view = renderAt(
    `/demo/keys/${details.keyId}${search}`,
    <InspectorPage keyId={details.keyId} />,
    options,
  );
  await screen.findByRole('heading', { level: 1, name: new RegExp(details.key.slice(0, 10)) });
  return view;
};

const forms = () => {
  const group = screen.queryByRole('radiogroup', { name: 'Show as' });
  return group
    ? within(group)
        .getAllByRole('radio')
        .map((radio) => textOf(radio.nextElementSibling))
    : [];
};
const choose = (user: { click: (element: Element) => Promise<void> }, form: string) =>
  user.click(within(screen.getByRole('radiogroup', { name: 'Show as' })).getByText(form));

const page = () => textOf(document.body);

it('shows what is known of a key, and why the rest is not', async () => {
  const { user } = await open(
    keyDetails({
      key: 'cache:topic:12',
      family: 'discours.topic',
      title: 'Topics',
      state: 'classified',
      params: { id: '12' },
      type: 'zset',
      ttlSeconds: 3600,
      expiresAt: '2026-11-23T12:00:00.000Z',
      memoryBytes: null,
      idleSeconds: null,
      frequency: 7,
      string: null,
      length: 0,
      documented: { type: 'set', ttl: '1 h', purpose: 'Followers of a topic.', role: 'session-index' },
      drift: [
        { what: 'type', documented: 'set', found: 'zset' },
        { what: 'ttl', documented: '1 d', found: '1 h' },
      ],
      related: [
        { family: 'a', title: 'Authors', key: 'author:1', keyId: keyIdOf('author:1'), exists: true },
        { family: 'b', title: 'Views', key: 'views:1', keyId: keyIdOf('views:1'), exists: false },
      ],
      page: 'sessions',
    }),
  );
  expect(page()).toContain('Documented as set, is zset.');
  expect(page()).toContain('Documented TTL: 1 d; found: 1 h.');
  expect(page()).toMatch(/1 h ?23 Nov 2026|1 h ?Nov 23, 2026/);
  expect(page()).toContain('— not reported by the server');
  expect(page()).toContain('the eviction policy counts frequency instead');
  expect(page()).toContain('session index');
  expect(screen.getByRole('link', { name: 'author:1' }).getAttribute('href')).toBe(
    `/demo/keys/${keyIdOf('author:1')}`,
  );
  const views = screen.getByText('Views').closest('li');
  expect(textOf(views)).toContain('missing');
  expect(screen.getByRole('link', { name: 'Open in Sessions' }).getAttribute('href')).toBe('/demo/sessions');
  expect(screen.getAllByRole('link', { name: 'Topics' }).map((link) => link.getAttribute('href'))).toEqual([
    '/demo/keys?family=discours.topic',
    '/demo/families?family=discours.topic',
  ]);
  await user.click(screen.getByRole('button', { name: 'Copy key' }));
  expect(await navigator.clipboard.readText()).toBe('cache:topic:12');
});

it('copies no key that holds a secret', async () => {
  await open(keyDetails({ keyId: 's.sealed', key: 'session:5:•••', secret: true }));
  expect(page()).toContain('Secret name');
  expect(screen.queryByRole('button', { name: 'Copy key' })).toBeNull();
});

it('shows a text with its control characters and line breaks, and as bytes', async () => {
  const { user } = await open(keyDetails({ string: stringOf('one\u0007\u202etwo\nthree') }));
  expect(forms()).toEqual(['Text', 'Hex']);
  expect(page()).toContain('one\\x07\\u202etwo');
  await choose(user, 'Hex');
  expect(page()).toContain('00000000');
  expect(page()).toContain('6f 6e 65 07 e2 80 ae 74');
  expect(window.location.search).toBe('?view=hex');
});

it('shows JSON as a tree that folds, and a very deep one in parts', { tags: 'long' }, async () => {
  const deep = `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)},"b":{"c":"<b>x</b>"}}`;
  const { user } = await open(keyDetails({ string: stringOf(deep, { kind: 'json' }) }));
  expect(forms()).toEqual(['JSON', 'Text', 'Hex']);
  const tree = screen.getByRole('region', { name: 'JSON tree' });
  expect(textOf(tree)).toContain('<b>x</b>');
  expect(tree.querySelectorAll('li').length).toBeLessThan(60);
  await user.click(screen.getByRole('button', { name: 'Fold b' }));
  expect(textOf(tree)).not.toContain('<b>x</b>');
  for (;;) {
    const next = screen.queryAllByRole('button', { name: /^Unfold [0a]$/ })[0];
    if (!next) break;
    await user.click(next);
  }
  await user.click(screen.getByRole('button', { name: 'Show deeper' }));
  expect(page()).toContain('Inside a deep node');
  await user.click(screen.getByRole('button', { name: 'Back to the top' }));
  expect(textOf(tree)).toContain('names');
});

it('shows the parts of a JWT and never its text', async () => {
  await open(
    keyDetails({
      string: stringOf('x', {
        kind: 'jwt',
        page: masked,
        jwt: { header: '{"alg":"HS256"}', claims: '{"sub":"5"}', expiresAt: '2026-01-01T00:00:00.000Z' },
      }),
    }),
  );
  expect(forms()).toEqual([]);
  expect(page()).toContain('"alg": "HS256"');
  expect(page()).toContain('"sub": "5"');
  expect(page()).toContain('The signature is never shown.');
  expect(screen.getByRole('button', { name: 'Edit value' })).toHaveProperty('disabled', true);
});

it.each([
  [
    'a number with its time',
    stringOf('1700000000', { kind: 'number' }),
    /1,700,000,000 ?As a Unix time: .*2023/,
  ],
  [
    'the cardinality of a HyperLogLog',
    stringOf(Uint8Array.of(1, 255), { kind: 'hyperloglog', cardinality: 4321 }),
    /≈ 4,321/,
  ],
  [
    'the decoded form of bytes, with its steps',
    stringOf(Uint8Array.of(31, 139, 8), {
      page: shown(Uint8Array.of(31, 139, 8), {
        decoded: { steps: ['gzip', 'JSON'], text: '{"deep":{"x":1}}', truncated: true },
      }),
    }),
    /gzip → JSON · only the beginning is shown.*deep/,
  ],
])('shows %s', async (_what, string, expected) => {
  await open(keyDetails({ string }));
  expect(page()).toMatch(expected);
});

it('shows a bitmap by its positions', async () => {
  const { user } = await open(keyDetails({ string: stringOf(Uint8Array.of(0x80, 0, 0xff), { bitsSet: 9 }) }));
  expect(forms()).toEqual(['Bitmap', 'Hex']);
  const bits = screen.getByRole('list', { name: 'Positions of set bits' });
  expect(within(bits).getAllByRole('listitem').map(textOf)).toEqual([
    '0',
    '16',
    '17',
    '18',
    '19',
    '20',
    '21',
    '22',
    '23',
  ]);
  expect(page()).toContain('9 in the complete value');
  await choose(user, 'Hex');
  expect(page()).toContain('80 00 ff');
});

it('shows raster images only', async () => {
  const png = 'data:image/png;base64,iVBORw0KGgo=';
  const bytes = Uint8Array.of(0x89, 0x50);
  const { unmount } = await open(keyDetails({ string: stringOf(bytes, { kind: 'image', dataUrl: png }) }));
  expect(screen.getByRole('img', { name: 'The value as an image' }).getAttribute('src')).toBe(png);
  unmount();
  const svg = 'data:image/svg+xml;base64,PHN2Zz4=';
  await open(keyDetails({ key: 'other', string: stringOf('<svg>', { kind: 'image', dataUrl: svg }) }));
  expect(document.querySelector(`img[src="${svg}"]`)).toBeNull();
  expect(forms()).toEqual(['Text', 'Hex']);
});

it('shows a long string page by page', async () => {
  const pages = ['first', 'second'].map((text, i) =>
    keyDetails({
      length: 131_072,
      nextCursor: i === 0 ? 'c1' : null,
      string: stringOf(text, { offset: i * 65_536, page: shown(text, { bytes: 131_072, truncated: true }) }),
    }),
  );
  const { user } = await open(pages[0]!);
  api.answer(keyContracts.get, ({ cursor }) => pages[cursor === 'c1' ? 1 : 0]!);
  expect(page()).toContain('From byte 0 of 128 KiB');
  expect(screen.getByRole('button', { name: 'Previous' })).toHaveProperty('disabled', true);
  await user.click(screen.getByRole('button', { name: 'Next' }));
  await screen.findByText('second');
  expect(page()).toContain('From byte 65,536 of 128 KiB');
  expect(screen.getByRole('button', { name: 'Next' })).toHaveProperty('disabled', true);
  await user.click(screen.getByRole('button', { name: 'Previous' }));
  await screen.findByText('first');
});

it('loads a longer value completely to show it as a tree', async () => {
  const part = (text: string, offset: number, nextCursor: string | null) =>
    keyDetails({
      length: 300_000,
      nextCursor,
      string: stringOf(text, { offset, page: shown(text, { bytes: 300_000, truncated: true }) }),
    });
  const { user } = await open(part('{"city":{"na', 0, 'c1'));
  api.answer(keyContracts.get, ({ cursor }) =>
    cursor === 'c1' ? part('me":"Tbilisi"}}', 65_536, null) : part('{"city":{"na', 0, 'c1'),
  );
  expect(forms()).toEqual(['Text', 'Hex', 'JSON']);
  await choose(user, 'JSON');
  await user.click(screen.getByRole('button', { name: 'Load complete value' }));
  expect(textOf(await screen.findByRole('region', { name: 'JSON tree' }))).toContain('Tbilisi');
});

it('shows every kind of collection, with links to the keys that members name', {
  tags: ['long'],
}, async () => {
  const link = { keyId: keyIdOf('author:7'), key: 'author:7', exists: false };
  const cases: [KeyDetails, RegExp][] = [
    [
      collection('hash', [
        { id: 'a', field: shown('name'), value: shown('x\ty'), ttlSeconds: 60 },
        { id: 'b', field: shown('token'), value: masked },
        { id: 'c', field: shown(Uint8Array.of(0xff, 0x41)), value: shown('z') },
      ]),
      /name x\\ty 1 min.*token •••.*\\xffA z/,
    ],
    [collection('list', [{ id: 'a', index: 0, value: shown('x') }]), /0 x/],
    [collection('set', [{ id: 'a', member: shown('7'), link }]), /7 author:7 ?missing/],
    [collection('zset', [{ id: 'a', member: shown('m'), score: '1.5' }]), /m 1\.5/],
    [
      collection('stream', [
        { id: 'a', entryId: '1700000000000-0', fields: [{ field: shown('k'), value: shown('v') }] },
      ]),
      /1700000000000-0.* k ?v/,
    ],
  ];
  for (const [details, expected] of cases) {
    const { unmount } = await open(details);
    const table = await screen.findByRole('table', { name: 'Elements' });
    const cells = within(table)
      .getAllByRole('row')
      .slice(1)
      .map((row) =>
        [...row.querySelectorAll('td')]
          .map((cell) => textOf(cell).replace(' Secret, hidden', '').trim())
          .join(' '),
      );
    expect(cells.join(' | ').replace(/Secret, hidden/g, '')).toMatch(expected);
    unmount();
  }
});

it('reads more elements as one scrolls, counts repeated ones once, and searches in them', async () => {
  const rows = (from: number) =>
    Array.from({ length: 3 }, (_, i) => ({ id: `e${from + i}`, member: shown(`m${from + i}`) }));
  const first = collection('set', rows(0), { length: 5, nextCursor: 'c1' });
  const { fill } = await open(first);
  api.answer(keyContracts.get, ({ cursor, match }) =>
    match
      ? collection('set', [{ id: 'e4', member: shown('m4') }], { length: 5 })
      : cursor === 'c1'
        ? collection('set', rows(2), { length: 5 })
        : first,
  );
  await screen.findByText('m4');
  expect(within(screen.getByRole('table')).getAllByRole('row')).toHaveLength(6);
  await fill(screen.getByLabelText('Members that match'), 'm[4]');
  await waitFor(() => expect(within(screen.getByRole('table')).getAllByRole('row')).toHaveLength(2));
  expect(api.asked(keyContracts.get).at(-1)).toMatchObject({ match: 'm[4]' });
  expect(window.location.search).toBe('?match=m%5B4%5D');
});

it('opens an element to show all of it', async () => {
  const { user } = await open(
    collection('hash', [{ id: 'a', field: shown('profile'), value: shown('{"city":{"name":"Tbilisi"}}') }]),
  );
  await user.click(screen.getByText('profile'));
  const drawer = await screen.findByRole('dialog', { name: 'profile' });
  const value = within(drawer).getByRole('region', { name: 'Value' });
  expect(textOf(within(value).getByRole('region', { name: 'JSON tree' }))).toContain('Tbilisi');
});

it('shows no part of a hidden value, and where it can be seen', async () => {
  const { unmount } = await open(
    keyDetails({ string: null, revealable: false, hidden: 'secret', page: 'env' }),
  );
  expect(page()).toContain('The catalog calls this value secret.');
  expect(screen.getAllByRole('link', { name: 'Open in Environment' })[0]!.getAttribute('href')).toBe(
    '/demo/env',
  );
  expect(screen.getByRole('button', { name: 'Edit value' })).toHaveProperty('disabled', true);
  expect(screen.getByRole('button', { name: 'Set TTL…' })).toHaveProperty('disabled', false);
  unmount();
  await open(
    keyDetails({
      string: null,
      hidden: 'permission',
      needs: 'env:view',
      page: 'env',
      readOnlyReason: 'permission',
    }),
    { role: 'support' },
  );
  expect(page()).toContain('Needs env:view');
  expect(screen.queryByRole('link', { name: 'Open in Environment' })).toBeNull();
});

it.each([
  ['a role that may not write', {}, { role: 'support' as const }, /cannot change it/],
  ['a read-only connection', {}, { connection: { readOnly: true } }, /read-only/],
  ['the own keys of the console', { readOnlyReason: 'ownKey' as const }, {}, /belongs to Keyward/],
  ['flags that need approval', { readOnlyReason: 'approval' as const }, {}, /need approval/],
])('offers no change to %s, and says why', async (_who, others, options, reason) => {
  const { user } = await open(collection('set', [{ id: 'a', member: shown('m') }], others), options);
  expect(page()).toMatch(reason);
  for (const name of ['Add member', 'Set TTL…'])
    expect(screen.getByRole('button', { name })).toHaveProperty('disabled', true);
  await user.click(screen.getByRole('button', { name: 'More actions for this key' }));
  expect((await screen.findByRole('menuitem', { name: 'Delete…' })).dataset.disabled).toBe('true');
  expect(screen.queryByRole('button', { name: 'Actions for m' })).toBeNull();
});

it('names the type of a module, whose value it cannot show', async () => {
  await open(keyDetails({ type: 'TSDB-TYPE', string: null, length: null, readOnlyReason: 'type' }));
  expect(page()).toContain('Keyward shows the details of TSDB-TYPE keys');
  expect(screen.getByRole('button', { name: 'Set TTL…' })).toHaveProperty('disabled', false);
});

it('follows a key whose type changes, says so, and says when it is gone', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await open(collection('set', [{ id: 'a', member: shown('m') }]));
  api.answer(keyContracts.get, keyDetails({ etag: 'etag-2' }));
  await vi.advanceTimersByTimeAsync(10_500);
  await screen.findByText('hello');
  expect(page()).toContain('The type changed from set to string while this page was open.');
  api.refuse(keyContracts.get, 'not_found', 'The key was not found.');
  await vi.advanceTimersByTimeAsync(10_500);
  await screen.findByText('This key no longer exists');
  expect(screen.getByRole('link', { name: 'Back to the keys' }).getAttribute('href')).toBe('/demo/keys');
});

it('says that the link to a very long key has expired', async () => {
  api.answer(keyContracts.get, () => {
    throw new Problem('expired', 'This id has expired.');
  });
  renderAt('/demo/keys/h.x', <InspectorPage keyId="h.x" />);
  await screen.findByText('This link has expired');
});

it('shows what the server says of a vector set, and the vector of an element by its name', async () => {
  const facts = [
    { name: 'quant-type', value: 'int8' },
    { name: 'vector-dim', value: '2' },
  ];
  const key = { type: 'vectorset', string: null, length: 300, readOnlyReason: 'type' as const };
  const apple = { vector: [0.5, -1.25], dimensions: 2, attributes: shown('{"color":"red"}') };
  const names = [shown('pear'), shown(new Uint8Array([0xff, 0x61])), masked];
  const sample = names.map((member, i) => ({ id: `e${i}`, member }));
  api.answer(keyContracts.get, ({ match }) =>
    keyDetails({
      ...key,
      elements: match ? [] : sample,
      vectorSet: { facts, element: match === 'apple' || match === '\\xffa' ? apple : null },
    }),
  );
  const { fill, user } = renderAt('/demo/keys/x', <InspectorPage keyId="x" />);
  await screen.findByText('quant-type');
  await fill(screen.getByRole('searchbox', { name: 'Name of an element (exact)' }), 'apple');
  await screen.findByText('2 dimensions: 0.5, -1.25');
  await screen.findByText('{"color":"red"}');
  await fill(screen.getByRole('searchbox', { name: 'Name of an element (exact)' }), 'pear');
  await screen.findByText('The set has no element of this name.');
  expect(page()).toContain('3 of 300 elements, chosen at random:');
  await user.click(screen.getByRole('button', { name: '\\xffa' }));
  await screen.findByText('2 dimensions: 0.5, -1.25');
  const secret = screen.getByRole('button', { name: /hidden|secret|mask/i }) as HTMLButtonElement;
  expect(secret.disabled).toBe(true);
});

it('reveals a masked element, and a hidden value, for 30 s to whoever may', { tags: 'long' }, async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const hash = collection('hash', [{ id: 'e1', field: shown('apiKey'), value: masked }]);
  const answer = { string: null, auditId: 'audit-1' };
  api.answer(keyContracts.reveal, {
    ...answer,
    elements: [{ id: 'e1', field: shown('apiKey'), value: shown('swordfish') }],
  });
  const { user, unmount } = await open(hash);
  await user.click(await screen.findByText('apiKey'));
  await user.click(await screen.findByRole('button', { name: 'Reveal' }));
  await screen.findByText('swordfish');
  expect(page()).toContain('recorded in the audit log');
  await act(() => vi.advanceTimersByTimeAsync(31_000));
  expect(page()).not.toContain('swordfish');
  unmount();
  api.answer(keyContracts.reveal, { ...answer, string: stringOf('mackerel'), elements: [] });
  const reset = keyDetails({ key: 'reset:token', hidden: 'secret', string: null });
  const second = await open(reset);
  await second.user.click(screen.getByRole('button', { name: 'Reveal' }));
  await screen.findByText('mackerel');
  await second.user.click(screen.getByRole('button', { name: 'Hide now' }));
  expect(page()).not.toContain('mackerel');
  second.unmount();
  expect(api.asked(keyContracts.reveal)).toEqual([
    { keyId: hash.keyId, element: 'e1', limit: 200 },
    { keyId: reset.keyId, limit: 200 },
  ]);
  for (const [details, role] of [
    [reset, 'support'],
    [{ ...reset, revealable: false }, 'admin'],
  ] as const) {
    const view = await open(details, { role });
    expect(screen.queryByRole('button', { name: 'Reveal' })).toBeNull();
    view.unmount();
  }
});
