import { screen, waitFor } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import { hitRateContracts } from '@/lib/hit-rates/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt } from '@/scripts/testing/render';
import { stateOf } from '@/scripts/testing/sampling-state';
import { SamplingSetup } from './sampling-setup';

const api = fakeApi();

const CONNECTIONS = [
  { id: 'one', name: 'One' },
  { id: 'two', name: 'Two' },
];

it('leads on to the console where there is nothing to ask', async () => {
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  api.answer(hitRateContracts.sampling, stateOf('KEm'));
  renderAt('/setup/hit-rates', <SamplingSetup connections={CONNECTIONS} />);
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/'));
  expect(screen.queryByTestId('sampling-consent')).toBeNull();
});

it('asks for all undecided connections together, then leads on', async () => {
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  assign.mockClear();
  const cost = { forSeconds: 1, everySeconds: 60, shareOfTime: 1 / 60, maxAddedLatencyMs: 1 };
  const question = {
    because: ['production' as const],
    changes: [],
    cost: { ...cost, throughputLoss: { pipelined: 0.62, single: 0.16 } },
  };
  api.answer(hitRateContracts.sampling, stateOf('KEm', { question }));
  api.answer(hitRateContracts.setSampling, {
    state: stateOf('KEm', { on: true }),
    auditId: 'audit-1',
    undoUntil: null,
  });
  const { user } = renderAt('/setup/hit-rates', <SamplingSetup connections={CONNECTIONS} />);
  await user.click(await screen.findByRole('button', { name: 'Turn on for 2 connections' }));
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/'));
  expect(api.asked(hitRateContracts.setSampling)).toEqual([{ on: true }, { on: true }]);
});
