import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import { Problem } from '@/lib/errors';
import { familyContracts } from '@/lib/families/schema';
import { type KeyDetails, keyContracts } from '@/lib/keys/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { collection, keyDetails, keyIdOf, masked, shown, stringOf } from '@/scripts/testing/key-details';
import { renderAt, textOf } from '@/scripts/testing/render';
import { InspectorPage } from './inspector-page';

const api = fakeApi();

let audits = 0;
/** Toasts are named by the audit entry. */
const answered = (others: { key?: string; keyId?: string } = {}) => ({
  key: 'app:greeting',
  keyId: keyIdOf('app:greeting'),
  etag: 'etag-2',
  ...others,
  auditId: `audit-${audits++}`,
});
type Options = Parameters<typeof renderAt>[2];

const open = async (details: KeyDetails, options: Options = {}) => {
  api.answer(keyContracts.get, details);
  api.answer(keyContracts.update, () => answered());
  const view = renderAt(`/demo/keys/${details.keyId}`, <InspectorPage keyId={details.keyId} />, options);
  await screen.findByRole('heading', { level: 1, name: new RegExp(details.key.slice(0, 8)) });
  const { user } = view;
  const drawer = async (name: RegExp) => within(await screen.findByRole('dialog', { name }));
  const more = async (item: string) => {
    await user.click(screen.getByRole('button', { name: 'More actions for this key' }));
    await user.click(await screen.findByRole('menuitem', { name: item }));
  };
  const element = async (name: string, item: string) => {
    await user.click(await screen.findByRole('button', { name: `Actions for ${name}` }));
    await user.click(await screen.findByRole('menuitem', { name: item }));
  };
  const press = (name: string | RegExp) => user.click(screen.getByRole('button', { name }));
  return { ...view, drawer, more, element, press };
};

/** What was sent, without the key. */
const sent = () => api.asked(keyContracts.update).map(({ etag, edit }) => ({ etag, edit }));

it('edits JSON in lines and saves it in its stored format, after a look at the difference', {
  tags: ['long'],
}, async () => {
  const stored = '{"id":12345678901234567890,"tags":["a","b"]}';
  const { user, fill, drawer } = await open(keyDetails({ string: stringOf(stored, { kind: 'json' }) }));
  await user.click(screen.getByRole('button', { name: 'Edit value' }));
  const form = await drawer(/^Edit app:greeting/);
  const field = await form.findByLabelText('Value');
  expect((field as HTMLTextAreaElement).value.split('\n')).toHaveLength(7);
  const save = form.getByRole('button', { name: 'Save' });
  expect(save).toHaveProperty('disabled', true);
  await fill(field, '{"id": 12345678901234567890,\n "tags": ["a", "c"');
  expect(document.body.textContent).toContain('No longer JSON');
  expect(save).toHaveProperty('disabled', true);
  await fill(field, '{\n  "id": 12345678901234567890,\n  "tags": [\n    "a",\n    "c"\n  ]\n}');
  const diff = textOf(await form.findByRole('region', { name: 'Changes' }));
  expect(diff).toContain('Removed: "b"');
  expect(diff).toContain('Added: "c"');
  await fill(form.getByLabelText('Reason'), 'Ticket 7');
  await user.click(save);
  await screen.findByText('app:greeting saved');
  expect(api.asked(keyContracts.update)).toMatchObject([
    {
      keyId: keyIdOf('app:greeting'),
      etag: 'etag-1',
      edit: { op: 'setString', value: { text: '{"id":12345678901234567890,"tags":["a","c"]}' } },
      reason: 'Ticket 7',
    },
  ]);
});

it('saves what is no JSON any more only on request', { tags: ['long'] }, async () => {
  const { user, fill, drawer } = await open(keyDetails({ string: stringOf('{"a":1}', { kind: 'json' }) }));
  await user.click(screen.getByRole('button', { name: 'Edit value' }));
  const form = await drawer(/^Edit/);
  await fill(await form.findByLabelText('Value'), 'off');
  await user.click(form.getByLabelText('Save it although it is not JSON'));
  await user.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByText('app:greeting saved');
  expect(sent()).toEqual([{ etag: 'etag-1', edit: { op: 'setString', value: { text: 'off' } } }]);
});

it('shows both values when someone else was first, loads theirs, and saves over it with its etag', {
  tags: ['long'],
}, async () => {
  const { user, fill, drawer } = await open(keyDetails());
  await user.click(screen.getByRole('button', { name: 'Edit value' }));
  const form = await drawer(/^Edit/);
  const field = await form.findByLabelText('Value');
  await fill(field, 'mine');
  const theirs = keyDetails({ etag: 'etag-9', string: stringOf('theirs') });
  api.answer(keyContracts.get, theirs);
  api.answer(keyContracts.update, ({ etag }) => {
    if (etag !== 'etag-9') throw new Problem('changed', 'Changed.', { extensions: { etag: 'etag-9' } });
    return answered();
  });
  await user.click(form.getByRole('button', { name: 'Save' }));
  const alert = textOf(await form.findByRole('alert'));
  expect(alert).toMatch(/Yours ?mine.*Current ?theirs/);
  await user.click(form.getByRole('button', { name: 'Load current value' }));
  await waitFor(() => expect(form.getByLabelText('Value')).toHaveProperty('value', 'theirs'));
  await fill(form.getByLabelText('Value'), 'both');
  await user.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByText('app:greeting saved');
  expect(sent().map(({ etag }) => etag)).toEqual(['etag-1', 'etag-9']);
});

it('saves over the current value on request', async () => {
  const { user, fill, drawer } = await open(keyDetails());
  await user.click(screen.getByRole('button', { name: 'Edit value' }));
  const form = await drawer(/^Edit/);
  await fill(await form.findByLabelText('Value'), 'mine');
  api.answer(keyContracts.get, keyDetails({ etag: 'etag-9', string: stringOf('theirs') }));
  api.answer(keyContracts.update, ({ etag }) => {
    if (etag !== 'etag-9') throw new Problem('changed', 'Changed.');
    return answered();
  });
  await user.click(form.getByRole('button', { name: 'Save' }));
  await user.click(await form.findByRole('button', { name: 'Save over it' }));
  await screen.findByText('app:greeting saved');
  expect(sent().at(-1)).toEqual({ etag: 'etag-9', edit: { op: 'setString', value: { text: 'mine' } } });
});

it('says in an open drawer that the key changed', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { drawer, press } = await open(keyDetails());
  await press('Edit value');
  const form = await drawer(/^Edit/);
  await form.findByLabelText('Value');
  api.answer(keyContracts.get, keyDetails({ etag: 'etag-2' }));
  await vi.advanceTimersByTimeAsync(10_500);
  await form.findByText(/Changed since you opened it/);
  vi.useRealTimers();
});

it('edits bytes as hexadecimal digits or base64, and sets single bits', { tags: ['long'] }, async () => {
  const { user, fill, drawer, more } = await open(
    keyDetails({ string: stringOf(Uint8Array.of(0xff, 0x00)), length: 2 }),
  );
  await user.click(screen.getByRole('button', { name: 'Edit value' }));
  const form = await drawer(/^Edit/);
  const field = await form.findByLabelText('Value');
  expect(field).toHaveProperty('value', 'ff 00');
  await fill(field, 'ff 0');
  expect(form.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true);
  await fill(field, 'ff 01');
  await user.click(form.getByText('Base64'));
  expect(form.getByLabelText('Value')).toHaveProperty('value', '/wE=');
  await user.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByText('app:greeting saved');
  await more('Set bit…');
  const bit = await drawer(/^Set a bit/);
  await fill(bit.getByLabelText(/^Position/), '15');
  expect(document.body.textContent).toContain('This bit is 0 now.');
  await user.click(bit.getByRole('button', { name: 'Set bit' }));
  await screen.findByText('Bit 15 set to 1');
  expect(sent().map(({ edit }) => edit)).toEqual([
    { op: 'setString', value: { base64: '/wE=' } },
    { op: 'setBit', offset: 15, bit: 1 },
  ]);
});

it('edits no value of which a part is masked', async () => {
  const { user } = await open(collection('hash', [{ id: 'e1', field: shown('token'), value: masked }]));
  await user.click(await screen.findByRole('button', { name: 'Actions for token' }));
  expect((await screen.findByRole('menuitem', { name: 'Edit value…' })).dataset.disabled).toBe('true');
  await user.click(screen.getByRole('menuitem', { name: 'Remove…' }));
  await user.click(await screen.findByRole('button', { name: 'Remove' }));
  await screen.findByText('token removed');
  expect(sent()).toEqual([
    { etag: 'etag-1', edit: { op: 'removeField', element: 'e1', field: { text: 'token' } } },
  ]);
});

it('shows the end of a long name, also of bytes that are no text', async () => {
  const field = shown(Uint8Array.from({ length: 3000 }, (_, i) => (i < 2999 ? 0xff : 0x7a)));
  await open(collection('hash', [{ id: 'e1', field, value: shown('1') }]));
  expect(textOf(await screen.findByRole('table', { name: 'Elements' }))).toMatch(/\\xffz\b/);
  screen.getByRole('button', { name: /^Actions for .*xffz$/ });
});

it('says why an element whose name was cut cannot be changed', async () => {
  const field = shown('x'.repeat(100), { bytes: 70_000, truncated: true });
  const { user } = await open(collection('hash', [{ id: 'e1', field, value: shown('1') }]));
  await user.click(await screen.findByRole('button', { name: /^Actions for x/ }));
  await screen.findByText(/^The name is too long/);
  expect(screen.getByRole('menuitem', { name: 'Rename…' })).toHaveProperty('disabled', true);
});

it('changes fields of a hash, each named by the id it was read with', { tags: ['long'] }, async () => {
  const { user, fill, drawer, element, press } = await open(
    collection('hash', [{ id: 'e1', field: shown('city'), value: shown('Tbilisi') }]),
  );
  await element('city', 'Edit value…');
  let form = await drawer(/^Edit city/);
  await fill(form.getByLabelText('Value'), 'Batumi');
  await user.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByText('city saved');
  await element('city', 'Rename…');
  form = await drawer(/^Rename city/);
  await fill(form.getByLabelText('New name'), 'town');
  await user.click(form.getByRole('button', { name: 'Rename' }));
  await screen.findByText('city renamed');
  await press('Add field');
  form = await drawer(/^Add a field/);
  await fill(form.getByLabelText('Field'), 'zip');
  await fill(form.getByLabelText('Value'), '0100');
  await user.click(form.getByRole('button', { name: 'Add field' }));
  await screen.findByText('Field added');
  const field = { text: 'city' };
  expect(sent().map(({ edit }) => edit)).toEqual([
    { op: 'setField', element: 'e1', field, value: { text: 'Batumi' } },
    { op: 'renameField', element: 'e1', field, to: { text: 'town' } },
    { op: 'addField', field: { text: 'zip' }, value: { text: '0100' } },
  ]);
});

it('reads an element again that someone else changed, by its name', async () => {
  const { user, fill, drawer, element } = await open(
    collection('zset', [{ id: 'e1', member: shown('a*b'), score: '1' }]),
  );
  await element('a*b', 'Set score…');
  const form = await drawer(/^Set the score/);
  await fill(form.getByLabelText(/^Score/), '5');
  api.answer(
    keyContracts.get,
    collection('zset', [{ id: 'e2', member: shown('a*b'), score: '3' }], { etag: 'etag-9' }),
  );
  api.answer(keyContracts.update, ({ edit }) => {
    if (!('element' in edit) || edit.element !== 'e2') throw new Problem('changed', 'Changed.');
    return answered();
  });
  await user.click(form.getByRole('button', { name: 'Set score' }));
  expect(textOf(await form.findByRole('alert'))).toMatch(/Yours ?5.*Current ?3/);
  expect(api.asked(keyContracts.get).some(({ match }) => match === 'a\\*b')).toBe(true);
  await user.click(form.getByRole('button', { name: 'Save over it' }));
  await screen.findByText('Score of a*b set');
  expect(sent().at(-1)).toEqual({
    etag: 'etag-9',
    edit: { op: 'setScore', element: 'e2', member: { text: 'a*b' }, score: '5' },
  });
});

it('offers nothing to save over where the element no longer exists', async () => {
  const { user, drawer, element } = await open(collection('set', [{ id: 'e1', member: shown('m') }]));
  await element('m', 'Remove…');
  const form = await drawer(/^Remove m/);
  expect(document.body.textContent).toContain('the key disappears with it');
  api.answer(keyContracts.get, collection('set', [{ id: 'e2', member: shown('n') }], { etag: 'etag-9' }));
  api.answer(keyContracts.update, () => {
    throw new Problem('changed', 'Changed.');
  });
  await user.click(form.getByRole('button', { name: 'Remove' }));
  expect(textOf(await form.findByRole('alert'))).toContain('no longer exists');
  expect(form.getByRole('button', { name: 'Remove' })).toHaveProperty('disabled', true);
});

it('takes names as the console shows them, and reports the bytes that are stored', {
  tags: ['long'],
}, async () => {
  const { user, fill, drawer, element, unmount } = await open(
    collection('set', [{ id: 'e1', member: { ...shown(Uint8Array.of(0x77, 0x3a, 0xff)), text: null } }]),
  );
  await element('w:\\xff', 'Rename…');
  let form = await drawer(/^Rename/);
  const field = form.getByLabelText('New name');
  expect(field).toHaveProperty('value', 'w:\\xff');
  await fill(field, 'w:\\xfe');
  form.getByText('Stored as 3 bytes: 77 3a fe');
  await user.click(form.getByRole('button', { name: 'Rename' }));
  await waitFor(() => expect(sent().at(-1)?.edit).toMatchObject({ to: { base64: 'dzr+' } }));
  unmount();
  const hash = await open(collection('hash', [{ id: 'e1', field: shown('x'), value: shown('1') }]));
  await hash.press('Add field');
  form = await hash.drawer(/^Add a field/);
  await hash.fill(form.getByLabelText('Field'), 'a\\\\x20b\\x20');
  await hash.fill(form.getByLabelText('Value'), '\\x20');
  await hash.user.click(form.getByRole('button', { name: 'Add field' }));
  const edit = { op: 'addField', field: { text: 'a\\x20b ' }, value: { text: '\\x20' } };
  await waitFor(() => expect(sent().at(-1)?.edit).toEqual(edit));
});

it('adds to lists, sorted sets and streams', { tags: 'long' }, async () => {
  for (const [details, fields, button, edit] of [
    [
      collection('list', [{ id: 'e1', index: 0, value: shown('x') }]),
      { Value: 'first' },
      'Add element',
      { op: 'push', end: 'head', value: { text: 'first' } },
    ],
    [
      collection('zset', [{ id: 'e1', member: shown('x'), score: '1' }]),
      { Member: 'y', Score: '-1.5e3' },
      'Add member',
      { op: 'addMember', member: { text: 'y' }, score: '-1.5e3' },
    ],
    [
      collection('stream', [{ id: 'e1', entryId: '1-0', fields: [] }]),
      { Field: 'k', Value: 'v' },
      'Add entry',
      { op: 'addEntry', fields: [{ field: { text: 'k' }, value: { text: 'v' } }] },
    ],
  ] as const) {
    const { user, fill, drawer, press, unmount } = await open(details);
    await press(button);
    const form = await drawer(/^Add an? /);
    if (details.type === 'list') await user.click(form.getByText('At the head'));
    for (const [label, text] of Object.entries(fields)) await fill(form.getByLabelText(label), text);
    await user.click(form.getByRole('button', { name: button }));
    await waitFor(() => expect(sent().at(-1)?.edit).toEqual(edit));
    unmount();
  }
});

it('sets a TTL by presets, with jitter, or removes it', { tags: ['long'] }, async () => {
  const details = keyDetails({
    key: 'cache:topic:12',
    family: 'discours.topic',
    title: 'Topics',
    state: 'classified' as const,
    ttlSeconds: 60,
  });
  const family = {
    family: 'discours.topic',
    app: 'discours',
    title: 'Topics',
    purpose: 'A topic',
    pattern: 'topic:{id}',
    type: 'string',
    types: null,
    drift: [],
    params: ['id'],
    secretParams: [],
    grammar: {},
    pairs: null,
    ttl: '2 h',
    ttlSeconds: 7200,
    expires: true,
    cache: true,
    guarded: false,
    keys: 1,
    memoryBytes: 1,
    withoutTtl: 0,
    hitRate: null,
    hits: null,
    misses: null,
    source: 'none' as const,
    coverage: null,
    error: null,
    windowSeconds: null,
    missesPerSecond: null,
    originLoadPerSecond: null,
    sampledAt: null,
    countedAt: null,
  };
  api.answer(familyContracts.list, {
    items: [family],
    nextCursor: null,
    countedAt: null,
    unclassified: null,
    malformed: null,
    overlaps: [],
  });
  const { user, fill, drawer, press } = await open(details);
  api.answer(keyContracts.setTtl, ({ ttlSeconds }) => ({
    ...answered(),
    ttlSeconds,
    undoUntil: '2100-01-01T00:00:00.000Z',
  }));
  await press('Set TTL…');
  let form = await drawer(/^Set the TTL/);
  await user.click(await form.findByLabelText('2 h (documented)'));
  expect(textOf(document.body)).toContain('It expires 2 h after saving.');
  await fill(form.getByLabelText(/^Jitter/), '10');
  await user.click(form.getByRole('button', { name: 'Set TTL' }));
  await screen.findByText('TTL of cache:topic:12: 2 h');
  expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy();
  await press('Set TTL…');
  form = await drawer(/^Set the TTL/);
  expect(['5 min', '1 h', '1 d', '30 d'].map((name) => form.getByLabelText(name) !== null)).not.toContain(
    false,
  );
  await user.click(form.getByLabelText('None'));
  expect(textOf(document.body)).toContain('expects keys of this family to expire: 2 h');
  await user.click(form.getByRole('button', { name: 'Remove TTL' }));
  await screen.findByText('TTL of cache:topic:12: none');
  expect(
    api.asked(keyContracts.setTtl).map(({ ttlSeconds, jitterSeconds }) => [ttlSeconds, jitterSeconds]),
  ).toEqual([
    [7200, 10],
    [null, 0],
  ]);
});

it('renames by parameters or bytes, never over a key that exists, and follows the key', {
  tags: ['long'],
}, async () => {
  const details = keyDetails({
    key: 'topic:12',
    family: 'discours.topic',
    title: 'Topics',
    state: 'classified' as const,
    params: { id: '12', token: '•••' },
  });
  api.answer(familyContracts.list, {
    items: [],
    nextCursor: null,
    countedAt: null,
    unclassified: null,
    malformed: null,
    overlaps: [],
  });
  const { user, fill, drawer, more } = await open(details);
  api.refuse(keyContracts.rename, 'exists', 'A key of this name exists already.');
  await more('Rename…');
  const form = await drawer(/^Rename topic:12/);
  expect(form.getByLabelText('id')).toHaveProperty('value', '12');
  expect(form.getByLabelText('token')).toHaveProperty('value', '');
  await user.click(form.getByText('Free name'));
  expect(form.getByLabelText('New name')).toHaveProperty('value', 'topic:12');
  await fill(form.getByLabelText('New name'), 'topic:13');
  await user.click(form.getByRole('button', { name: 'Rename' }));
  expect(textOf(await form.findByRole('alert'))).toContain('Choose another name');
  const renamed = keyIdOf('topic:14');
  api.answer(keyContracts.rename, answered({ key: 'topic:14', keyId: renamed }));
  await user.click(form.getByText('Parameters'));
  await fill(form.getByLabelText('id'), '14');
  await fill(form.getByLabelText('token'), 'abc');
  await user.click(form.getByRole('button', { name: 'Rename' }));
  await screen.findByText('topic:12 renamed to topic:14');
  expect(
    api.asked(keyContracts.rename).map(({ name, family, params }) => ({ name, family, params })),
  ).toEqual([
    { name: { text: 'topic:13' }, family: undefined, params: undefined },
    { name: undefined, family: 'discours.topic', params: { id: '14', token: 'abc' } },
  ]);
  expect(window.location.pathname).toBe(`/demo/keys/${renamed}`);
});

it('deletes with a typed confirmation on production, without undo only on request', {
  tags: ['long'],
}, async () => {
  const { user, fill, drawer, more } = await open(keyDetails(), {
    connection: { id: 'live', environment: 'production' },
  });
  api.answer(keyContracts.delete, ({ withoutUndo }) => {
    if (!withoutUndo) throw new Problem('no_undo', 'The value is too large to store.');
    return { deleted: true, auditId: 'audit-1' };
  });
  await more('Delete…');
  const form = await drawer(/^Delete this key/);
  const button = form.getByRole('button', { name: 'Delete key' });
  expect(button).toHaveProperty('disabled', true);
  await fill(form.getByLabelText(/to confirm/), 'live');
  await user.click(button);
  await form.findByText(/No copy of this key can be stored/);
  expect(button).toHaveProperty('disabled', true);
  await user.click(form.getByLabelText('Delete without undo'));
  api.refuse(keyContracts.get, 'not_found', 'The key was not found.');
  await user.click(button);
  await screen.findByText('app:greeting deleted');
  await screen.findByText('This key no longer exists');
  expect(
    api.asked(keyContracts.delete).map(({ etag, confirm, withoutUndo }) => [etag, confirm, withoutUndo]),
  ).toEqual([
    ['etag-1', 'live', false],
    ['etag-1', 'live', true],
  ]);
});

it('sets and removes the TTL of a field, where the server has such TTLs', { tags: ['long'] }, async () => {
  const rows = [
    { id: 'e1', field: shown('name'), value: shown('Ann'), ttlSeconds: 60 },
    { id: 'e2', field: shown('plain'), value: shown('x') },
  ];
  const { element, drawer, user } = await open(collection('hash', rows, { key: 'shop:basket' }));
  await element('name', 'Set TTL…');
  const form = await drawer(/^TTL of name/);
  expect(document.body.textContent).toContain('Now: 1 min');
  await user.click(form.getByLabelText('The field expires'));
  await user.click(form.getByRole('button', { name: 'Set TTL' }));
  await screen.findByText('name: never expires');
  expect(sent()).toEqual([
    {
      etag: 'etag-1',
      edit: { op: 'setFieldTtl', element: 'e1', field: { text: 'name' }, ttlSeconds: null },
    },
  ]);
  await user.click(await screen.findByRole('button', { name: 'Actions for plain' }));
  await screen.findByRole('menuitem', { name: 'Edit value…' });
  expect(screen.queryByRole('menuitem', { name: 'Set TTL…' })).toBeNull();
});
