import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react/pure';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { LoadedSelect } from './loaded-select';
import { ClosedSelect } from './select';
import { useTakesOver } from './take-over';

const DATA = [
  { value: 'a', label: 'First' },
  { value: 'b', label: 'Second' },
];

const Arriving = ({ hasArrived }: { hasArrived: boolean }) => {
  const [value, setValue] = useState<string | null>('b');
  const Shown = hasArrived ? LoadedSelect : ClosedSelect;
  return (
    <MantineProvider>
      <Shown aria-label="Which" data={DATA} value={value} onChange={setValue} clearable {...useTakesOver()} />
    </MantineProvider>
  );
};

/** A field that is replaced when `arrive` is called, as when its script arrives. */
const arriving = () => {
  const { rerender } = render(<Arriving hasArrived={false} />);
  return {
    arrive: () => rerender(<Arriving hasArrived />),
    user: userEvent.setup(),
    field: () => screen.getByRole('combobox'),
  };
};

describe('a select whose script arrives later', () => {
  it('shows its value meanwhile, and takes the focus along', async () => {
    const { arrive, user, field } = arriving();
    expect(field()).toHaveProperty('value', 'Second');
    await user.tab();
    arrive();
    expect(document.activeElement).toBe(field());
    expect(field().getAttribute('aria-expanded')).toBe('false');
  });

  it('opens where it was pressed before', async () => {
    const { arrive, user, field } = arriving();
    await user.click(field());
    expect(screen.queryByRole('option')).toBeNull();
    arrive();
    await user.click(await screen.findByRole('option', { name: 'First' }));
    expect(field()).toHaveProperty('value', 'First');
  });

  it('takes no focus that was elsewhere, and can be cleared before', async () => {
    const { arrive, user, field } = arriving();
    await user.click(field().parentElement!.querySelector('button')!);
    expect(field()).toHaveProperty('value', '');
    await user.click(document.body);
    arrive();
    expect(document.activeElement).not.toBe(field());
    expect(screen.queryByRole('option')).toBeNull();
  });
});
