import { fireEvent, screen } from '@testing-library/react/pure';
import { describe, expect, it, vi } from 'vitest';
import { renderAt } from '@/scripts/testing/render';
import { TimeSeriesChart } from './time-series-chart';

const SECOND = 1000;
const POINTS = Array.from({ length: 100 }, (_, i) => ({ at: i * SECOND, rate: 0.9 }));
const EVENTS = Array.from({ length: 8 }, (_, i) => ({ at: (10 + i * 10) * SECOND, label: `event ${i}` }));

type Props = Partial<Parameters<typeof TimeSeriesChart>[0]>;

const open = (props: Props = {}) =>
  renderAt(
    '/demo/overview',
    <TimeSeriesChart
      label="Rate"
      name="rate"
      series={[{ id: 'rate', name: 'Rate', color: 1 }]}
      points={POINTS}
      stepMs={SECOND}
      from={0}
      to={100 * SECOND}
      format={String}
      {...props}
    />,
  );

const picture = () => screen.getByRole('img', { name: 'Rate' });
const span = () => [picture().dataset.from, picture().dataset.to].map(Number);

/** In pixels of a picture that is 100 wide, of which the axis takes 26 from pixel 66 on. */
const drag = (from: number, to: number): void => {
  picture().setPointerCapture = () => undefined;
  fireEvent.pointerDown(picture(), { clientX: from, button: 0, isPrimary: true, pointerId: 1 });
  fireEvent.pointerMove(picture(), { clientX: to, pointerId: 1 });
  fireEvent.pointerUp(picture(), { clientX: to, pointerId: 1 });
};

describe('a chart over time', () => {
  it('zooms to what is dragged over, lists only its events, and shows everything again', async () => {
    const { user } = open({ events: EVENTS });
    const listed = () => screen.getAllByRole('listitem').map((item) => item.textContent);
    expect(listed()).toHaveLength(6);
    await user.click(screen.getByRole('button', { name: '2 more' }));
    expect(listed()).toHaveLength(8);
    drag(79, 92);
    expect(span()).toEqual([50 * SECOND, 100 * SECOND]);
    expect(listed()).toHaveLength(4);
    expect(listed()[0]).toMatch(/^1 .*event 4$/);
    await user.click(screen.getByRole('button', { name: 'Show everything again' }));
    expect(span()).toEqual([0, 100 * SECOND]);
  });

  it('selects where its page has a use for that, and zooms to the selection on request', async () => {
    const onSelect = vi.fn();
    const selected = { from: 20 * SECOND, to: 40 * SECOND };
    const { user } = open({ onSelect, selected });
    drag(79, 92);
    expect(onSelect).toHaveBeenCalledWith({ from: 50 * SECOND, to: 100 * SECOND });
    expect(span()).toEqual([0, 100 * SECOND]);
    await user.click(screen.getByRole('button', { name: 'Zoom to the selection' }));
    expect(span()).toEqual([20 * SECOND, 40 * SECOND]);
  });

  it('does not zoom to less than three samples', () => {
    open({ stepMs: 60 * SECOND });
    drag(79, 92);
    expect(span()).toEqual([0, 100 * SECOND]);
  });
});
