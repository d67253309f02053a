import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Views from '@/app/(console)/[connection]/views/page';
import type { EntityKind } from '@/lib/connections/schema';
import type { Result } from '@/lib/contract';
import { type ViewedItem, viewContracts } from '@/lib/views/schema';
import { downloads } from '@/scripts/testing/downloads';
import { entityKindOf } from '@/scripts/testing/entity-kinds';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const files = downloads();

const shout = (app: string): EntityKind => entityKindOf('shout', 'Publication', app);

const item = (shoutId: string, change: Partial<ViewedItem> = {}): ViewedItem => ({
  shoutId,
  slug: `slug-${shoutId}`,
  views: 300,
  viewsExact: null,
  counted: 100,
  countedExact: null,
  imported: 200,
  importedExact: null,
  title: null,
  ...change,
});

type Answer = Result<typeof viewContracts.top>;
const views = (items: ViewedItem[], change: Partial<Answer> = {}): Answer => ({
  items,
  nextCursor: null,
  total: 1000,
  totalExact: null,
  counted: 400,
  countedExact: null,
  imported: 600,
  importedExact: null,
  publications: 12_345,
  slugs: 12_000,
  slugsHold: 'ids',
  exact: true,
  sampledAt: new Date().toISOString(),
  imports: [],
  drift: [],
  ...change,
});

const serve = (answer: Answer): void => api.answer(viewContracts.top, answer);

const open = (search = '', entities = [shout('press')]) =>
  renderAt(`/demo/views${search}`, <Views />, { role: 'product', connection: { entities } });
const figures = () => textOf(screen.getByRole('region', { name: 'Views in figures' }));

it('shows publications by views with their share, and leads to each', async () => {
  serve(
    views([
      item('7', { title: 'On rivers' }),
      item('8', { slug: null, counted: null, imported: 50, views: 50 }),
    ]),
  );
  open();
  const row = await rowWith('On rivers');
  const link = await within(row).findByRole('link', { name: 'On rivers' });
  expect(link.getAttribute('href')).toBe('/demo/entities?kind=press.shout&id=7');
  expect(cellOf(row, 'Publication')).toBe('On riversslug-7');
  expect(['Id', 'Views', 'Share', 'Counted', 'Imported'].map((heading) => cellOf(row, heading))).toEqual([
    '7',
    '300',
    '30.0%',
    '100',
    '200',
  ]);
  const imported = rowsOf('Publications by views')[1]!;
  expect(cellOf(imported, 'Publication')).toBe('8');
  expect([cellOf(imported, 'Counted'), cellOf(imported, 'Imported')]).toEqual(['—', '50']);
  for (const text of ['Views1,000', 'Counted400', 'Imported600', 'Publications12,345', 'Slugs12,000'])
    expect(figures()).toContain(text);
  expect(figures()).toContain('Disagreements0');
});

it.each([
  ['no such kind', []],
  ['several', [shout('press'), shout('blog')]],
  ['one that the explorer has not', [{ ...shout('press'), explored: false }]],
])('shows publications as text where the connection has %s', async (_, kinds) => {
  serve(views([item('7')]));
  open('', kinds);
  const row = await rowWith('slug-7');
  expect(within(row).queryByRole('link')).toBeNull();
});

it('asks for as many rows as the address says', async () => {
  serve(views([item('7')]));
  const { user } = open('?top=20');
  await rowWith('slug-7');
  expect(api.asked(viewContracts.top)[0]).toEqual({ limit: 20 });
  await user.click(screen.getByRole('combobox', { name: 'Rows' }));
  await user.click(await screen.findByRole('option', { name: 'Top 500' }));
  await waitFor(() => expect(api.asked(viewContracts.top).at(-1)).toEqual({ limit: 500 }));
  expect(window.location.search).toBe('?top=500');
});

it('shows nothing as known before the first count', async () => {
  const unknown = {
    total: null,
    counted: null,
    imported: null,
    publications: null,
    slugs: null,
    slugsHold: null,
  };
  serve(views([], { ...unknown, sampledAt: null, exact: false }));
  open();
  await screen.findByText('Views are being counted');
  for (const name of ['Views', 'Counted', 'Imported', 'Publications', 'Slugs', 'Disagreements'])
    expect(figures()).toContain(`${name}—`);
  screen.getByText('Not known before the first count.');
});

it('says what would be here without views, and that everything agrees', async () => {
  serve(views([], { total: 0 }));
  open();
  await screen.findByText('No views');
  screen.getByText('None: counters, imports and the slug map agree.');
  screen.getByText(/^No imports\./);
});

it('says when the slug map holds views instead of ids', async () => {
  serve(views([item('7')], { slugsHold: 'views' }));
  open();
  await rowWith('slug-7');
  expect(figures()).toContain('Slugs12,000its values are views, not ids');
});

it('says that an order may not be exact', async () => {
  serve(views([item('7')], { exact: false }));
  open();
  await rowWith('slug-7');
  expect(textOf(screen.getByText(/may be missing from this order/))).toContain('now');
});

it('lists the imports with their own totals', async () => {
  const keyId = 'bWlncmF0ZWQ';
  const at = new Date(Date.now() - 86_400_000).toISOString();
  serve(
    views([item('7')], {
      imports: [
        { at, key: 'imported_2', keyId, publications: 300, total: 9000, totalExact: null },
        { at: null, key: 'imported_<b>', keyId: 'x', publications: 2, total: null, totalExact: null },
      ],
    }),
  );
  open();
  const row = await rowWith('imported_2');
  expect(within(row).getByRole('link').getAttribute('href')).toBe(`/demo/keys/${keyId}`);
  expect(cellOf(row, 'Imported')).toMatch(/1\sd ago/);
  expect([cellOf(row, 'Publications'), cellOf(row, 'As stated')]).toEqual(['300', '9,000']);
  const broken = await rowWith('imported_<b>');
  expect([cellOf(broken, 'Imported'), cellOf(broken, 'As stated')]).toEqual(['—', '—']);
});

it.each([
  ['slugWithoutViews', '2 slugs without views', /names a publication that has neither a counter/],
  ['viewsWithoutSlug', '2 publications without a slug', /no slug of the map leads to it/],
  ['totalDiffers', '2 imports whose total differs', /is not the number it has/],
  ['notANumber', '2 values are not numbers', /counts as no views/],
  ['wrongType', '2 keys of the wrong type', /its views are not counted here/],
  ['severalSlugs', '2 publications with several slugs', /lead to the same publication/],
] as const)('says in words where data disagrees: %s', async (what, title, means) => {
  serve(
    views([item('7')], { drift: [{ what, count: 2, sample: ['<img src=x>'], detail: '9000, but 8999' }] }),
  );
  open();
  const list = within(await screen.findByRole('list', { name: 'Disagreements' }));
  list.getByText(title);
  list.getByText(means);
  // The server's own words say the same, in English only.
  expect(list.queryByText('9000, but 8999')).toBeNull();
  list.getByText('<img src=x>');
  list.getByText('and 1 more');
  expect(document.querySelector('img')).toBeNull();
  expect(figures()).toContain('Disagreements1');
});

it('exports the publications with their slugs', async () => {
  serve(views([item('7', { title: '=cmd()' })]));
  const { user } = open();
  await rowWith('=cmd()');
  await user.click(screen.getAllByRole('button', { name: 'Export' })[0]!);
  await user.click(await screen.findByRole('menuitem', { name: 'CSV' }));
  expect(files[0]!.name).toBe('views.csv');
  expect(await files[0]!.content.text()).toBe(
    "Publication,Id,Slug,Views,Share,Counted,Imported\r\n'=cmd(),7,slug-7,300,0.3,100,200\r\n",
  );
});

it('shows why the views cannot be read', async () => {
  serve(views([]));
  api.refuse(viewContracts.top, 'not_found', 'This connection counts no views.');
  open();
  expect(textOf(await screen.findByRole('alert'))).toContain('This connection counts no views.');
});
