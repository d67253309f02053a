import { screen, waitFor } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { UsersPage } from '@/components/users/users-page';
import { expositionContracts, type FigureItem } from '@/lib/exposition/schema';
import { apiTokenContracts } from '@/lib/users/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { rowWith } from '@/scripts/testing/table';
import { MetricsPanel } from './metrics-panel';

const api = fakeApi();

const figure = (name: string, change: Partial<FigureItem> = {}): FigureItem => ({
  name,
  help: `Help of ${name}.`,
  unit: 'count',
  labels: ['family'],
  values: [],
  ...change,
});

const open = async () => {
  api.answer(apiTokenContracts.list, { items: [], nextCursor: null });
  const value = { labels: { family: 'a' }, value: 1, at: new Date().toISOString() };
  const items = [figure('keyward_family_keys', { values: [value, value] }), figure('keyward_queue_length')];
  api.answer(expositionContracts.figures, { items, nextCursor: null });
  const view = renderAt('/users?tab=tokens', <UsersPage belowTokens={<MetricsPanel />} canMail={false} />);
  const button = screen.getByRole('button', { name: 'Prometheus and Grafana' });
  expect(button.getAttribute('aria-expanded')).toBe('false');
  expect(api.asked(expositionContracts.figures)).toEqual([]);
  await view.user.click(button);
  return view;
};

it('shows how to scrape this address, and where the dashboard is', async () => {
  await open();
  const config = textOf(screen.getByRole('region', { name: /^Add to prometheus.yml/ }));
  expect(config).toContain('metrics_path: /api/metrics');
  expect(config).toContain(`targets: ["${window.location.host}"]`);
  const link = screen.getByRole('link', { name: 'Download keyward.json' });
  expect(link.getAttribute('href')).toBe('/grafana/keyward.json');
});

it('lists the figures with the number of their series, and is searched', async () => {
  const { user } = await open();
  expect(textOf(await rowWith('keyward_family_keys'))).toMatch(/connection, family.*2$/);
  await rowWith('keyward_queue_length');
  await user.type(screen.getByRole('searchbox', { name: 'Name or meaning' }), 'FAMILY_KEYS');
  await waitFor(() => expect(screen.queryByText('keyward_queue_length')).toBeNull());
  await rowWith('keyward_family_keys');
});
