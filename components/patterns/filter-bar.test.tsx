import { screen, within } from '@testing-library/react/pure';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { narrowPage, renderAt } from '@/scripts/testing/render';
import { FilterBar, SearchField } from './filter-bar';
import { FilterSelect } from './filter-select';
import { StateTiles } from './state-tiles';

const onChange = vi.fn();

const Filters = ({ active }: { active: number }) => (
  <FilterBar
    search={<SearchField label="Name" value="" onChange={onChange} />}
    active={active}
    onClear={active > 0 ? () => onChange('cleared') : undefined}
    actions={<button type="button">Add</button>}
  >
    <FilterSelect label="State" any="Any state" data={[]} value="" onChange={onChange} />
  </FilterBar>
);

it('folds the filters into a sheet on a phone, and leaves search and buttons in sight', async () => {
  narrowPage();
  const { user } = renderAt('/', <Filters active={2} />);
  screen.getByRole('searchbox', { name: 'Name' });
  screen.getByRole('button', { name: 'Add' });
  expect(screen.queryByRole('combobox', { name: 'State' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Filters (2)' }));
  const sheet = await screen.findByRole('dialog', { name: 'Filters' });
  within(sheet).getByRole('combobox', { name: 'State' });
  await user.click(within(sheet).getByRole('button', { name: 'Show results' }));
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(onChange).toHaveBeenCalledWith('cleared');
});

it('offers no empty sheet on a phone', () => {
  narrowPage();
  renderAt(
    '/',
    <FilterBar search={<SearchField label="Name" value="" onChange={onChange} />}>{[]}</FilterBar>,
  );
  screen.getByRole('searchbox', { name: 'Name' });
  expect(screen.queryByRole('button', { name: /^Filters/ })).toBeNull();
});

it('has all filters in one row on a wide screen', () => {
  renderAt('/', <Filters active={0} />);
  screen.getByRole('combobox', { name: 'State' });
  expect(screen.queryByRole('button', { name: /^Filters/ })).toBeNull();
});

it('folds the tiles of states into a line on a phone, with the state of the filter', async () => {
  narrowPage();
  const onPress = vi.fn();
  const state = (pressed: boolean) => ({ tone: 'good' as const, means: 'Signed in', pressed, onPress });
  const tiles = [
    { id: 'all', name: 'Sessions', count: 12 },
    { id: 'live', name: 'Live', count: 5, state: state(true) },
    { id: 'ghost', name: 'Ghosts', count: 7, state: state(false) },
  ];
  const { user } = renderAt(
    '/',
    <StateTiles label="Sessions" tiles={tiles} loading={false} hint="" age="" />,
  );
  const line = screen.getByRole('button', { name: /^12 Sessions\s*5 Live\s*By state$/ });
  expect(screen.queryByText('Ghosts')).toBeNull();
  await user.click(line);
  await user.click(screen.getByRole('button', { name: /Ghosts/ }));
  expect(onPress).toHaveBeenCalled();
});

const Names = ({ noSecrets = false }: { noSecrets?: boolean }) => {
  const [name, setName] = useState('');
  return (
    <>
      <SearchField
        label="Name"
        value={name}
        onChange={(next) => setName(next.trim())}
        noSecrets={noSecrets}
      />
      <output>{name}</output>
      <button type="button" onClick={() => setName('')}>
        Clear
      </button>
    </>
  );
};

it('applies what is typed after a pause or on Enter, and keeps the space before the next word', async () => {
  const { user } = renderAt('/', <Names />);
  const field = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Name' });
  await user.type(field, 'anna ');
  await expect.poll(() => screen.getByRole('status').textContent).toBe('anna');
  expect(field.value).toBe('anna ');
  await user.type(field, 'lee{Enter}');
  await expect.poll(() => screen.getByRole('status').textContent).toBe('anna lee');
  await user.click(screen.getByRole('button', { name: 'Clear' }));
  expect(field.value).toBe('');
});
