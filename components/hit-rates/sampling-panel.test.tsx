import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import { hitRateContracts } from '@/lib/hit-rates/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';
import { stateOf } from '@/scripts/testing/sampling-state';
import { SamplingPanel } from './sampling-panel';

const api = fakeApi();
const open = async (button: string, options: Parameters<typeof renderAt>[2] = { role: 'product' }) => {
  api.answer(hitRateContracts.sampling, stateOf('Kx'));
  const onJob = vi.fn();
  const view = renderAt('/demo/hit-rates', <SamplingPanel onJob={onJob} />, options);
  await view.user.click(await screen.findByRole('button', { name: button }));
  const dialog = await screen.findByRole('dialog');
  return { ...view, dialog, drawer: within(dialog), onJob };
};

it('samples only after the exact flags were agreed to', async () => {
  const { user, fill, drawer, onJob } = await open('Sample now…');
  const flags = textOf(drawer.getByTestId('flags'));
  expect(flags).toContain('now "Kx"');
  expect(flags).toContain('while a window is open "KxEm"');
  const verb = () => drawer.getByRole('button', { name: /^Sample for/ });
  expect(verb()).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText('Seconds'), '2');
  await user.click(drawer.getByLabelText('I agree to exactly this change'));
  await fill(drawer.getByLabelText('Reason'), 'how often topics are found');
  api.answer(hitRateContracts.sample, { jobId: JOB_ID, auditId: 'audit-1' });
  await user.click(verb());
  await waitFor(() => expect(onJob).toHaveBeenCalledWith(JOB_ID));
  expect(api.asked(hitRateContracts.sample)).toEqual([
    { seconds: 2, present: 'Kx', reason: 'how often topics are found' },
  ]);
});

it('shows the present flags where they changed since the consent, and asks again', async () => {
  const { user, dialog, drawer } = await open('Sample now…');
  await user.click(drawer.getByLabelText('I agree to exactly this change'));
  api.refuse(hitRateContracts.sample, 'changed', 'The flags are not what you agreed to change.');
  api.answer(hitRateContracts.sampling, stateOf('Kg'));
  await user.click(drawer.getByRole('button', { name: /^Sample for/ }));
  await drawer.findByText(/not what you agreed to change/);
  await waitFor(() => expect(textOf(drawer.getByTestId('flags'))).toContain('now "Kg"'));
  expect(textOf(dialog)).toContain('changed since you agreed');
  expect(drawer.getByRole('button', { name: /^Sample for/ })).toHaveProperty('disabled', true);
});

it('turns windows on with consent, for no more than 2 % of the time, and off again', {
  tags: 'long',
}, async () => {
  const { user, fill, dialog, drawer } = await open('Turn on…');
  await user.click(drawer.getByLabelText('I agree to exactly this change'));
  await fill(drawer.getByLabelText('Window length'), '10');
  await waitFor(() => expect(textOf(dialog)).toContain('2.0% of the time at most'));
  const verb = drawer.getByRole('button', { name: 'Turn on' });
  expect(verb).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText('Window length'), '0.1');
  await fill(drawer.getByLabelText('Interval'), '5');
  const on = stateOf('Kx', { on: true, everySeconds: 5, forSeconds: 0.1, dutyCycle: 0.02, origin: 'user' });
  api.answer(hitRateContracts.sampling, on);
  api.answer(hitRateContracts.setSampling, { state: on, auditId: 'audit-1', undoUntil: null });
  await user.click(verb);
  await screen.findByText('Live sample turned on');
  expect(textOf(await screen.findByText(/0\.1 s every/))).toMatch(/0\.1 s every 5\ss/);
  await user.click(screen.getByRole('button', { name: 'Turn off…' }));
  api.answer(hitRateContracts.setSampling, {
    state: stateOf('Kx'),
    auditId: 'audit-2',
    undoUntil: null,
  });
  await user.click(await screen.findByRole('button', { name: 'Turn off' }));
  await screen.findByText('Live sample turned off');
  expect(api.asked(hitRateContracts.setSampling)).toEqual([
    { on: true, everySeconds: 5, forSeconds: 0.1, present: 'Kx' },
    { on: false },
  ]);
});

it('asks for the id of a production connection', async () => {
  const { user, fill, drawer } = await open('Sample now…', {
    role: 'product',
    connection: { id: 'live', environment: 'production' },
  });
  await user.click(drawer.getByLabelText('I agree to exactly this change'));
  const verb = () => drawer.getByRole('button', { name: /^Sample for/ });
  expect(verb()).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/type live to confirm/), 'live');
  expect(verb()).toHaveProperty('disabled', false);
});

it('says why there is no window on a read-only connection', async () => {
  api.answer(hitRateContracts.sampling, stateOf(''));
  const connection = { id: 'locked', name: 'Archive', readOnly: true };
  renderAt('/locked/hit-rates', <SamplingPanel onJob={() => undefined} />, { role: 'product', connection });
  await screen.findByText(/This connection is read-only, and notify-keyspace-events lacks/);
  expect(screen.getByRole('button', { name: 'Sample now…' })).toHaveProperty('disabled', true);
});
