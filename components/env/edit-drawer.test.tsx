import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Env from '@/app/(console)/[connection]/env/page';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { envContracts, type Variable } from '@/lib/env/schema';
import { Problem } from '@/lib/errors';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { changed, listOf, variable } from '@/scripts/testing/variables';

const api = fakeApi();

const edit = async (name: string, change: Partial<Variable>, connection: Partial<ConnectionFacts> = {}) => {
  api.answer(envContracts.list, listOf([variable({ name, ...change })]));
  api.answer(envContracts.set, changed(name));
  const view = renderAt('/demo/env', <Env />, { connection });
  await view.user.click(await screen.findByRole('button', { name: `Edit ${name}` }));
  const dialog = await screen.findByRole('dialog', { name: `Edit ${name}` });
  const drawer = within(dialog);
  return {
    ...view,
    dialog,
    drawer,
    field: () => drawer.getByLabelText('Value'),
    type: (text: string) => view.fill(drawer.getByLabelText('Value'), text),
    press: (button: string) => view.user.click(drawer.getByRole('button', { name: button })),
    saved: () => screen.findByText(`${name} saved`),
    sent: () => api.asked(envContracts.set),
  };
};

it('shows the changes of an edit line by line, and keeps the line breaks', { tags: ['long'] }, async () => {
  const { drawer, type, press, saved, sent, fill } = await edit('NOTE', { value: 'one\r\ntwo\r\n' });
  expect(drawer.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true);
  await type('one\nthree\n');
  const diff = drawer.getByRole('region', { name: 'Changes' });
  expect(diff.textContent).toContain('Removed: two');
  expect(diff.textContent).toContain('Added: three');
  await fill(drawer.getByLabelText('Reason'), 'Ticket 51: it is three');
  await press('Save');
  await saved();
  expect(sent()).toMatchObject([
    {
      name: 'NOTE',
      value: 'one\r\nthree\r\n',
      etag: 'etag-of-the-list',
      anyway: false,
      reason: 'Ticket 51: it is three',
    },
  ]);
});

it.each([
  ['URL', 'url', 'https://example.org/'],
  ['PORT', 'integer', '80'],
] as const)('keeps line breaks that are pasted into %s, a value of one line', async (name, kind, value) => {
  const { user, field, type, press, saved, sent, unmount } = await edit(name, { kind, value });
  await user.click(field());
  await user.keyboard('{End}');
  await user.paste('-----BEGIN KEY-----\r\nMIIE\r\n');
  expect(field().tagName).toBe('TEXTAREA');
  expect(document.activeElement).toBe(field());
  await type('one\ntwo\n');
  await press('Save');
  await saved();
  expect(sent().map((input) => input.value)).toEqual(['one\r\ntwo\r\n']);
  unmount();
});

it('makes items of pasted lines', { tags: ['long'] }, async () => {
  const { user, drawer, press, saved, sent } = await edit('HOSTS', { kind: 'list', value: 'a,b' });
  await user.click(drawer.getByRole('combobox', { name: 'Value' }));
  await user.paste('c\r\nd\n');
  await press('Save');
  await saved();
  expect(sent()).toMatchObject([{ value: 'a,b,c,d' }]);
});

it('warns about a questionable value, and saves it only after confirmation', { tags: ['long'] }, async () => {
  const { dialog, drawer, type, press, saved, sent } = await edit('PORT', { kind: 'integer', value: '8080' });
  const message = 'Not an integer.';
  api.answer(envContracts.set, ({ anyway }) => {
    if (anyway) return changed('PORT');
    throw new Problem('value_doubtful', message, { extensions: { doubts: [{ message }] } });
  });
  await type('http');
  expect(dialog.textContent).toContain(message);
  await press('Save');
  expect(textOf(await drawer.findByRole('alert'))).toContain('The value looks wrong');
  await type('https');
  expect(drawer.queryByRole('button', { name: 'Save anyway' })).toBeNull();
  await press('Save');
  await drawer.findByRole('button', { name: 'Save anyway' });
  await press('Save anyway');
  await saved();
  expect(sent().map(({ value, anyway }) => [value, anyway])).toEqual([
    ['http', false],
    ['https', false],
    ['https', true],
  ]);
});

it('keeps the style of a boolean', async () => {
  const { user, drawer, press, saved, sent } = await edit('DEBUG', { kind: 'boolean', value: 'Yes' });
  await user.click(drawer.getByText('No'));
  await press('Save');
  await saved();
  expect(sent()).toMatchObject([{ value: 'No' }]);
});

it('keeps the commas of a list', { tags: ['long'] }, async () => {
  const value = 'a.example.org, b.example.org';
  const { user, drawer, press, saved, sent } = await edit('HOSTS', { kind: 'list', value });
  await user.type(drawer.getByRole('combobox', { name: 'Value' }), 'c.example.org{Enter}');
  await press('Save');
  await saved();
  expect(sent()).toMatchObject([{ value: 'a.example.org, b.example.org, c.example.org' }]);
});

it('edits values that are not text as bytes', { tags: ['long'] }, async () => {
  api.answer(envContracts.list, listOf([variable({ name: 'RAW', value: null, valueBase64: 'xOg=' })]));
  api.answer(envContracts.set, changed('RAW'));
  const { user, fill } = renderAt('/demo/env', <Env />);
  await user.click(await screen.findByRole('button', { name: 'Edit RAW' }));
  const field = await screen.findByLabelText('Bytes in base64');
  expect(field).toHaveProperty('value', 'xOg=');
  await fill(field, 'no base64!');
  expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true);
  expect(document.body.textContent).toContain('Not valid base64.');
  await fill(field, 'xOjx');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('RAW saved');
  expect(api.asked(envContracts.set)).toMatchObject([{ valueBase64: 'xOjx' }]);
});

it('never writes a secret into the markup, loaded or typed', { tags: ['long'] }, async () => {
  const [before, after] = ['an-old-secret-of-e2e', 'a-new-secret-of-e2e'];
  const { drawer, field, type, press, saved, sent } = await edit('PASSWORD', { secretBy: 'name' });
  api.answer(envContracts.reveal, { name: 'PASSWORD', value: before, etag: 'etag-2', auditId: 'audit-2' });
  await press('Load current value');
  await waitFor(() => expect(field()).toHaveProperty('value', before));
  await type(after);
  const diff = () => textOf(drawer.getByRole('region', { name: 'Changes' }));
  expect(diff()).toContain('•••••••• secret, 19 B');
  const markup = document.documentElement.outerHTML;
  expect([markup.includes(before), markup.includes(after)]).toEqual([false, false]);
  await press('Show value');
  expect(diff()).toContain(after);
  await press('Save');
  await saved();
  expect(sent()).toMatchObject([{ value: after, etag: 'etag-2' }]);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(document.documentElement.outerHTML).not.toContain(after);
});

it('generates another secret each time, and never writes it into the markup', {
  tags: ['long'],
}, async () => {
  const { field, press, saved, sent, user, drawer } = await edit('PASSWORD', { secretBy: 'name' });
  const made: string[] = [];
  for (let i = 0; i < 2; i++) {
    await press('Generate');
    made.push((field() as HTMLInputElement).value);
  }
  expect(new Set(made).size).toBe(2);
  for (const secret of made) {
    expect(secret).toMatch(/^[\w-]{48}$/);
    expect(document.documentElement.outerHTML).not.toContain(secret);
  }
  // It is shown once, without a click.
  await press('Hide value');
  await user.click(drawer.getByRole('combobox', { name: 'Length' }));
  await user.click(await screen.findByRole('option', { name: '128' }));
  await press('Generate');
  expect((field() as HTMLInputElement).value).toMatch(/^[\w-]{128}$/);
  await press('Save');
  await saved();
  expect(sent()).toMatchObject([{ value: expect.stringMatching(/^[\w-]{128}$/) }]);
});

it('shows the second of two editors both values to choose from', { tags: ['long'] }, async () => {
  const { drawer, type, field, press, saved, sent } = await edit('RACE', { value: 'first' });
  api.refuse(envContracts.set, 'changed', 'RACE changed since you read it.', {
    extensions: {
      etag: 'etag-of-theirs',
      value: 'theirs',
      valueBase64: null,
      valueType: 'string',
      lengthBytes: 6,
      secret: false,
      updatedAt: null,
      updatedBy: null,
    },
  });
  await type('mine');
  await press('Save');
  const alert = await drawer.findByRole('alert');
  expect(alert.textContent).toContain('Someone changed this variable');
  expect([...alert.querySelectorAll('dd')].map((value) => value.textContent)).toEqual([
    'first',
    'theirs',
    'mine',
  ]);
  drawer.getByRole('button', { name: 'Replace with mine' });
  api.answer(envContracts.set, changed('RACE'));
  await press('Edit their value');
  expect(field()).toHaveProperty('value', 'theirs');
  await type('ours');
  await press('Save');
  await saved();
  expect(sent().map(({ value, etag }) => [value, etag])).toEqual([
    ['mine', 'etag-of-the-list'],
    ['ours', 'etag-of-theirs'],
  ]);
});

it('says that a flag needs approval', { tags: ['long'] }, async () => {
  const production = { id: 'live', environment: 'production' } as const;
  const { drawer, user, press } = await edit('FEATURE_DARK', { kind: 'boolean', value: 'on' }, production);
  api.refuse(envContracts.set, 'approval_required', 'FEATURE_DARK is changed by two people.');
  await user.click(drawer.getByText('off'));
  await press('Save');
  expect(textOf(await drawer.findByRole('alert'))).toContain('changed by two people');
});

it('needs the id of a production connection to delete', { tags: ['long'] }, async () => {
  api.answer(envContracts.list, listOf([variable({ name: 'NOTE' })]));
  api.answer(envContracts.delete, { ...changed('NOTE'), etag: null });
  const { user, fill } = renderAt('/live/env', <Env />, {
    connection: { id: 'live', environment: 'production' },
  });
  await user.click(await screen.findByRole('button', { name: 'More for NOTE' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete…' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Delete NOTE?' }));
  expect(drawer.getByRole('button', { name: 'Delete' })).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/to confirm/), 'demo');
  expect(drawer.getByRole('button', { name: 'Delete' })).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/to confirm/), 'live');
  await user.click(drawer.getByRole('button', { name: 'Delete' }));
  await screen.findByText('NOTE deleted');
  expect(api.asked(envContracts.delete)).toEqual([
    { name: 'NOTE', etag: 'etag-of-the-list', confirm: 'live' },
  ]);
});

it('checks a new name, and shows the kind it leads to', { tags: ['long'] }, async () => {
  api.answer(envContracts.list, listOf([variable({ name: 'SMTP_HOST' })]));
  const { user, fill } = renderAt('/demo/env', <Env />);
  await screen.findByText('SMTP_HOST');
  await user.click(screen.getByRole('button', { name: 'New variable' }));
  const dialog = await screen.findByRole('dialog', { name: 'New variable' });
  const name = within(dialog).getByLabelText(/^Name/);
  const create = within(dialog).getByRole('button', { name: 'Create' });
  await fill(name, '9LIVES');
  expect(dialog.textContent).toContain('do not start with a digit');
  expect(create).toHaveProperty('disabled', true);
  await fill(name, 'SMTP_HOST');
  expect(dialog.textContent).toContain('A variable with this name already exists.');
  expect(create).toHaveProperty('disabled', true);
  await fill(name, 'NEW_LIMIT');
  expect(dialog.textContent).toContain('integer');
});
