import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { useCommand } from '@/components/patterns/use-command';
import { Problem } from '@/lib/errors';
import { apiTokenContracts } from '@/lib/users/schema';
import { secondFactorContracts } from '@/lib/users/second-factor/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt } from '@/scripts/testing/render';
import { StepUp } from './step-up';

const api = fakeApi();
const ID = '11111111-2222-4333-8444-555555555555';

const Revoke = () => {
  const { mutate, data, error } = useCommand(apiTokenContracts.revoke);
  return (
    <>
      <StepUp />
      <button type="button" onClick={() => mutate({ id: ID })}>
        Revoke
      </button>
      <p>{data ? 'revoked' : error?.message}</p>
    </>
  );
};

const begin = async () => {
  let isProven = false;
  api.answer(apiTokenContracts.revoke, () => {
    if (!isProven) throw new Problem('step_up_required', 'Give your second factor again.');
    return { id: ID, alsoEnded: 0, auditId: 'a' };
  });
  api.answer(secondFactorContracts.beginStepUp, { code: true, passkey: null });
  api.answer(secondFactorContracts.stepUp, ({ factor }) => {
    if (!('code' in factor) || factor.code !== '123456')
      throw new Problem('bad_input', 'Wrong.', {
        extensions: { errors: [{ path: 'code', message: 'Wrong.' }] },
      });
    isProven = true;
    return { until: new Date().toISOString(), auditId: 'b' };
  });
  const { user, fill } = renderAt('/users', <Revoke />);
  await user.click(screen.getByRole('button', { name: 'Revoke' }));
  return { user, fill, dialog: within(await screen.findByRole('dialog')) };
};

it('asks for the second factor, and sends the change again', async () => {
  const { user, fill, dialog } = await begin();
  await fill(dialog.getByLabelText(/^Code/), '000000');
  await user.click(dialog.getByRole('button', { name: 'Confirm' }));
  await dialog.findByText('This code is wrong, or was used before.');
  await fill(dialog.getByLabelText(/^Code/), '123456');
  await user.click(dialog.getByRole('button', { name: 'Confirm' }));
  await screen.findByText('revoked');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.asked(apiTokenContracts.revoke)).toHaveLength(2);
});

it('leaves the change unmade when it is not given', async () => {
  const { user, dialog } = await begin();
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await screen.findByText('Give your second factor again.');
  expect(api.asked(apiTokenContracts.revoke)).toHaveLength(1);
});
