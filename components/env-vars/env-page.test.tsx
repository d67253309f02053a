import { screen, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Env from '@/app/(console)/[connection]/env/page';
import { envContracts, type Variable } from '@/lib/env-vars/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt } from '@/scripts/testing/render';

const api = fakeApi();

const variable = (change: Partial<Variable> & { name: string }): Variable => ({
  category: 'other',
  secret: false,
  secretBy: null,
  kind: 'text',
  value: 'x',
  lengthBytes: 1,
  type: 'string',
  ttlSeconds: null,
  problems: [],
  etag: 'etag-of-the-list',
  updatedAt: null,
  updatedBy: null,
  ...change,
});

const list = (...variables: Variable[]): void =>
  api.answer(envContracts.list, {
    groups: [...new Set(variables.map(({ category }) => category))].map((category) => ({
      category,
      variables: variables.filter((each) => each.category === category),
    })),
    missing: [],
    total: variables.length,
  });

it('shows what an edit changes, line by line, before it is saved', async () => {
  list(variable({ name: 'NOTE', value: 'one\r\ntwo\r\n' }));
  const { user, fill } = renderAt('/demo/env', <Env />);
  await user.click(await screen.findByRole('button', { name: 'Edit NOTE' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit NOTE' }));
  expect(drawer.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText('Value'), 'one\nthree\n');
  const diff = drawer.getByRole('region', { name: 'What changes' });
  expect(diff.textContent).toContain('Removed: two');
  expect(diff.textContent).toContain('Added: three');
});
