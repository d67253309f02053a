import { screen } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import { fakeApi } from '@/scripts/testing/fake-api';
import { pointOf, rowOf } from '@/scripts/testing/rate-row';
import { renderAt, textOf } from '@/scripts/testing/render';
import { FamilyPanel, type FamilyPanelProps, type Rates } from './family-panel';
import { rowsOf } from './rows';

fakeApi();

const ratesOf = (families: Rates['families'], windows: Partial<Rates['windows']> = {}): Rates => ({
  families,
  notAttributed: { hits: 0, misses: 0, share: 0, reasons: [] },
  windows: { taken: 1, cutShort: 0, seconds: 6, askedSeconds: 6, cuts: [], ...windows },
  instance: { label: 'instance', points: [], hits: 0, misses: 0, hitRate: null },
  application: null,
  events: [],
  stepSeconds: 60,
  from: 0,
  to: 3_600_000,
});

const AUTHORS = rowOf('authors', [pointOf(0, 80, 20)]);
const TOPICS = rowOf('topics', [pointOf(0, 30, 10)]);

const open = (rates: Rates, change: Partial<FamilyPanelProps> = {}) => {
  const rows = rowsOf(rates.families, []);
  const props: FamilyPanelProps = {
    connection: 'demo',
    rates,
    rows,
    drawn: ['authors'],
    highlighted: null,
    selected: null,
    styleOf: () => ({ color: 1 }),
    onToggle: vi.fn(),
    onHighlight: vi.fn(),
    onSelect: vi.fn(),
    ...change,
  };
  return { ...renderAt('/demo/hit-rates', <FamilyPanel {...props} />), props };
};

it('says how much was observed of what was planned, and why windows stopped early', () => {
  const cuts: Rates['windows']['cuts'] = [
    { why: 'late', count: 2 },
    { why: 'busy', count: 1 },
  ];
  const text = textOf(open(ratesOf([AUTHORS], { taken: 4, cutShort: 3, seconds: 4.8, cuts })).container);
  expect(text).toContain('4 windows of live traffic: 4.8 s observed of 6 s planned (80.0%)');
  expect(text).toContain('2 windows stopped early: latency rose.');
  expect(text).toContain('1 window stopped early: Keyward was too busy');
});

it('draws nothing of fewer than 20 look-ups, and says so', () => {
  const text = textOf(open(ratesOf([rowOf('authors', [pointOf(0, 3, 4)])])).container);
  expect(text).toContain('Too few look-ups to draw a line');
  expect(text).not.toContain('stopped early');
  expect(screen.queryByRole('img')).toBeNull();
});

it('chooses and highlights lines by the legend, which names each family once', async () => {
  const { user, props, container } = open(ratesOf([AUTHORS, TOPICS]));
  const chip = (name: string) => screen.getByRole('button', { name });
  expect(chip('AUTHORS').getAttribute('aria-pressed')).toBe('true');
  expect(chip('TOPICS').getAttribute('aria-pressed')).toBe('false');
  expect(textOf(container).match(/AUTHORS/g)).toHaveLength(1);
  await user.hover(chip('TOPICS'));
  expect(props.onHighlight).toHaveBeenLastCalledWith('topics');
  await user.click(chip('TOPICS'));
  expect(props.onToggle).toHaveBeenCalledWith('topics');
});
