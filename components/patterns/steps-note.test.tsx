import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderAt } from '@/scripts/testing/render';
import { ConnectionProvider } from './connection';
import { StepsNote } from './steps-note';

const FACTS = {
  id: 'main',
  name: 'Main',
  environment: 'production' as const,
  role: 'primary' as const,
  readOnly: false,
  roles: [],
  entities: [],
};

it.each([
  ['cluster', 1],
  ['standalone', 0],
] as const)('on a connection of the kind %s is shown %d times', (topology, times) => {
  renderAt(
    '/main/sessions',
    <ConnectionProvider connection={{ ...FACTS, topology }}>
      <StepsNote of="sessions" />
    </ConnectionProvider>,
  );
  expect(screen.queryAllByText(/^Not in one step/)).toHaveLength(times);
});
