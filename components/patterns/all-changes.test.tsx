import { screen } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { renderAt } from '@/scripts/testing/render';
import { AllChanges } from './all-changes';

const NAME = 'topic a&b=c #1';

it('leads those who may read the audit log to all entries about something', () => {
  renderAt('/demo', <AllChanges kind="entity" name={NAME} />);
  const link = screen.getByRole('link', { name: 'All changes' });
  const { pathname, searchParams } = new URL(link.getAttribute('href')!, window.location.origin);
  expect(pathname).toBe('/audit');
  expect(Object.fromEntries(searchParams)).toEqual({ connection: 'demo', subject: `entity:${NAME}` });
});

it('is nothing for others, and for a name that fits no address', () => {
  for (const role of ['viewer', 'support', 'product'] as const) {
    const { unmount } = renderAt('/demo', <AllChanges kind="user" name="4" />, { role });
    expect(screen.queryByRole('link')).toBeNull();
    unmount();
  }
  renderAt('/demo', <AllChanges kind="user" name={'x'.repeat(601)} />);
  expect(screen.queryByRole('link')).toBeNull();
});
