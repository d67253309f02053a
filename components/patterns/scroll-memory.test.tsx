import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { restoreScroll } from './scroll-memory';

const SECOND = 1000;
const ROW = 40;
const VISIBLE = 400;

beforeEach(() => {
  vi.useFakeTimers();
  window.history.replaceState(null, '', '/shop/rows');
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

/** A table of rows whose place is limited by their number, as in a browser. */
const tableOf = (rows: number) => {
  const root = document.createElement('div');
  root.dataset.tableRoot = '';
  const section = document.createElement('section');
  section.setAttribute('aria-label', 'Rows');
  root.append(section);
  document.body.replaceChildren(root);
  let count = rows;
  let place = 0;
  const most = () => Math.max(0, count * ROW - VISIBLE);
  Object.defineProperties(section, {
    clientHeight: { get: () => VISIBLE },
    scrollHeight: { get: () => count * ROW },
    scrollTop: {
      get: () => Math.min(place, most()),
      set: (top: number) => {
        place = Math.min(top, most());
      },
    },
  });
  const scrollTo = (top: number) => {
    section.scrollTop = top;
    section.dispatchEvent(new Event('scroll', { bubbles: true }));
  };
  return {
    scrollTo,
    top: () => section.scrollTop,
    /** Its data was fetched again: what is too low is cut off by the browser. */
    show: (rows: number) => {
      count = rows;
      scrollTo(section.scrollTop);
    },
  };
};

const leaveAt = (top: number) => {
  tableOf(50).scrollTo(top);
  return tableOf(50);
};

const wait = (ms: number) => vi.advanceTimersByTime(ms);

it('returns a list to where it was, once it is long enough', () => {
  tableOf(50).scrollTo(633);
  const table = tableOf(0);
  restoreScroll();
  wait(SECOND);
  table.show(30);
  wait(SECOND / 10);
  expect(table.top()).toBe(633);
});

it('returns it again when it was in its place, and its new pages have fewer rows', () => {
  const table = leaveAt(633);
  restoreScroll();
  wait(3 * SECOND);
  expect(table.top()).toBe(633);
  table.show(12);
  expect(table.top()).toBe(80);
  wait(2 * SECOND);
  table.show(50);
  wait(SECOND / 10);
  expect(table.top()).toBe(633);
});

it('returns a list that is rendered again', () => {
  leaveAt(633);
  restoreScroll();
  wait(3 * SECOND);
  const table = tableOf(50);
  wait(SECOND / 10);
  expect(table.top()).toBe(633);
});

it('leaves a list where the user scrolls to', () => {
  const table = leaveAt(633);
  restoreScroll();
  wait(SECOND / 2);
  window.dispatchEvent(new Event('wheel'));
  table.scrollTo(100);
  wait(SECOND / 2);
  table.show(10);
  table.show(50);
  wait(SECOND);
  expect(table.top()).toBe(0);
});

it('leaves a list where something else scrolls it to, and all lists after ten seconds', () => {
  const table = leaveAt(633);
  restoreScroll();
  wait(2 * SECOND);
  table.scrollTo(200);
  wait(SECOND);
  expect(table.top()).toBe(200);
  wait(8 * SECOND);
  table.show(10);
  table.show(50);
  wait(SECOND);
  expect(table.top()).toBe(0);
});
