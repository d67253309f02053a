import { screen } from '@testing-library/react';
import { it } from 'vitest';
import { renderAt } from '@/scripts/testing/render';
import { Broken } from './trouble';

it.each([
  ['an error of the server', Object.assign(new Error('hidden'), { digest: '1234' }), '1234'],
  ['an error of the browser', new TypeError('t is not a function'), 'TypeError: t is not a function'],
])('shows the reference it asks for: %s', async (_, error, reference) => {
  renderAt('/demo/overview', <Broken error={error} retry={() => {}} />);
  await screen.findByText(reference);
});
