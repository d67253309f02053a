import { fireEvent, render } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import { pixelAt, type TimeRange, timeAt, useTimeDrag } from './time-drag';

const axis = { left: 60, right: 10, from: 1000, to: 2000 };

it('finds the time of a pixel and back, and stays inside the axis', () => {
  expect(timeAt(60, 270, axis)).toBe(1000);
  expect(timeAt(160, 270, axis)).toBe(1500);
  expect(timeAt(0, 270, axis)).toBe(1000);
  expect(timeAt(900, 270, axis)).toBe(2000);
  expect(pixelAt(1500, 270, axis)).toBe(160);
});

const Picture = ({ onSelect }: { onSelect: (range: TimeRange) => void }) => (
  <div data-testid="picture" {...useTimeDrag(axis, onSelect).handlers} />
);

const pictureFor = (onSelect: (range: TimeRange) => void) => {
  const { getByTestId } = render(<Picture onSelect={onSelect} />);
  const picture = getByTestId('picture');
  picture.getBoundingClientRect = () => ({ left: 0, width: 270 }) as DOMRect;
  Object.assign(picture, { hasPointerCapture: () => false, setPointerCapture: () => undefined });
  return picture;
};

const pointer = { isPrimary: true, button: 0, pointerId: 1 };

it('selects what was dragged over, in either direction, and nothing for a click', () => {
  const onSelect = vi.fn();
  const picture = pictureFor(onSelect);
  fireEvent.pointerDown(picture, { ...pointer, clientX: 210 });
  fireEvent.pointerMove(picture, { ...pointer, clientX: 110 });
  fireEvent.pointerUp(picture, { ...pointer, clientX: 110 });
  expect(onSelect.mock.calls).toEqual([[{ from: 1250, to: 1750 }]]);
  fireEvent.pointerDown(picture, { ...pointer, clientX: 100 });
  fireEvent.pointerMove(picture, { ...pointer, clientX: 104 });
  fireEvent.pointerUp(picture, { ...pointer, clientX: 104 });
  expect(onSelect).toHaveBeenCalledTimes(1);
});

it('selects nothing when the browser takes the gesture to scroll', () => {
  const onSelect = vi.fn();
  const picture = pictureFor(onSelect);
  fireEvent.pointerDown(picture, { ...pointer, clientX: 210 });
  fireEvent.pointerMove(picture, { ...pointer, clientX: 110 });
  fireEvent.pointerCancel(picture, { ...pointer, clientX: 110 });
  fireEvent.pointerUp(picture, { ...pointer, clientX: 110 });
  expect(onSelect).not.toHaveBeenCalled();
});
