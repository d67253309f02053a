import { screen, waitFor } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import { hitRateContracts } from '@/lib/hit-rates/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { stateOf } from '@/scripts/testing/sampling-state';
import { SamplingConsent, type Undecided } from './sampling-consent';
import { SamplingQuestion } from './sampling-question';

const api = fakeApi();

const undecided = (id: string, change: Partial<Undecided['question']> = {}): Undecided => ({
  id,
  name: id.toUpperCase(),
  question: {
    because: ['change'],
    changes: [
      { node: 'main', setting: 'notify-keyspace-events', present: 'Kx', during: 'KxEm', after: 'Kx' },
    ],
    cost: {
      forSeconds: 1,
      everySeconds: 60,
      shareOfTime: 1 / 60,
      maxAddedLatencyMs: 1,
      throughputLoss: { pipelined: 0.62, single: 0.16 },
    },
    ...change,
  },
});

const answered = () => {
  const state = stateOf('Kx', { on: true });
  api.answer(hitRateContracts.setSampling, { state, auditId: 'audit-1', undoUntil: null });
};

it('says what changes and what it costs, and turns on the chosen connections only', async () => {
  answered();
  const onAnswered = vi.fn();
  const all = [
    undecided('one'),
    undecided('two', { because: ['production'], changes: [] }),
    undecided('three'),
  ];
  const { user, container } = renderAt('/', <SamplingConsent connections={all} onAnswered={onAnswered} />);
  const text = textOf(container);
  expect(text).toContain(
    'notify-keyspace-events is Kx now, KxEm while a window is open, and Kx again afterwards',
  );
  expect(text).toContain('No setting of the server changes.');
  expect(text).toContain('a window of 1 s every 1 min (1.7% of the time)');
  await user.click(screen.getByRole('checkbox', { name: 'Measure on THREE' }));
  await user.click(screen.getByRole('button', { name: 'Turn on for 2 connections' }));
  await waitFor(() => expect(onAnswered).toHaveBeenCalled());
  expect(api.asked(hitRateContracts.setSampling)).toEqual([
    { on: true, present: 'Kx' },
    { on: true },
    { on: false },
  ]);
});

it('is declined for good by "Not now"', async () => {
  answered();
  api.answer(hitRateContracts.sampling, stateOf('Kx', { question: undecided('demo').question }));
  const { user } = renderAt('/demo/overview', <SamplingQuestion />, { role: 'product' });
  await screen.findByRole('button', { name: 'Turn on for Demo' });
  api.answer(hitRateContracts.sampling, stateOf('Kx'));
  await user.click(screen.getByRole('button', { name: 'Not now' }));
  await waitFor(() => expect(screen.queryByTestId('sampling-consent')).toBeNull());
  expect(api.asked(hitRateContracts.setSampling)).toEqual([{ on: false }]);
});

it('shows a refusal, and asks again with the present value', async () => {
  api.answer(hitRateContracts.sampling, stateOf('Kx', { question: undecided('demo').question }));
  const { user } = renderAt('/demo/overview', <SamplingQuestion />, { role: 'product' });
  const accept = await screen.findByRole('button', { name: 'Turn on for Demo' });
  api.refuse(hitRateContracts.setSampling, 'changed', 'The value is now "Kg".');
  await user.click(accept);
  await screen.findByText(/The value is now "Kg"/);
});

it('tells a viewer why there are no rates by family, where there are none', () => {
  const words = /an admin or product user has to turn them on/;
  const { unmount } = renderAt('/demo/hit-rates', <SamplingQuestion hasFigures={false} />, {
    role: 'viewer',
  });
  screen.getByText(words);
  unmount();
  renderAt('/demo/hit-rates', <SamplingQuestion />, { role: 'viewer' });
  expect(screen.queryByText(words)).toBeNull();
});
