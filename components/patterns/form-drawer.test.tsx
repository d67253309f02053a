import { fireEvent, screen } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { connectionContracts, type FeatureRow } from '@/lib/connections/schema';
import { envContracts } from '@/lib/env/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt } from '@/scripts/testing/render';
import { FormDrawer } from './form-drawer';
import { useCommand } from './use-command';

const api = fakeApi();

const DeleteDrawer = () => (
  <FormDrawer
    opened
    onClose={() => undefined}
    title="Delete one"
    verb="Delete"
    change={useCommand(envContracts.delete, 'demo')}
    input={(words) => ({ name: 'MODE', etag: 'e', ...words })}
    done={() => null}
  >
    Text
  </FormDrawer>
);
const open = (state: FeatureRow['state']) => {
  const feature: FeatureRow = {
    id: 'variables-delete',
    title: 'Delete variables',
    use: 'flags',
    state,
    missing: [],
    acl: null,
    reason: 'its user may not use UNLINK',
    operations: ['env.delete'],
  };
  const features = [feature];
  api.answer(connectionContracts.capabilities, { features, nodes: [], readAt: new Date().toISOString() });
  renderAt('/demo/env', <DeleteDrawer />);
};
const button = () => screen.findByRole<HTMLButtonElement>('button', { name: 'Delete' });

it('is disabled where its command cannot work', async () => {
  open('no');
  await screen.findByRole('alert', { name: 'This does not work here' });
  expect((await button()).disabled).toBe(true);
});

it('asks for the confirmation that the server wants, and sends it', async () => {
  open('works');
  const extensions = { confirm: 'demo' };
  api.refuse(envContracts.delete, 'confirmation_required', 'Confirm it.', { extensions });
  fireEvent.click(await button());
  fireEvent.change(await screen.findByRole('textbox', { name: /type demo to confirm/ }), {
    target: { value: 'demo' },
  });
  fireEvent.click(await button());
  await expect
    .poll(() => api.asked(envContracts.delete).map(({ confirm }) => confirm))
    .toEqual([undefined, 'demo']);
});
