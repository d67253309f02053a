import { format } from 'node:util';
import { notifications } from '@mantine/notifications';
import { cleanup, configure } from '@testing-library/react/pure';
import { Window } from 'happy-dom';
import React from 'react';
import { afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { loadAllOnDemand } from '@/components/patterns/on-demand';
import { shortTimersEnded } from './short-timers';

// A server component, which no browser renders.
vi.mock('@/app/(console)/allowed', () => import('./allowed'));

/** The text of a part of the page, without styles. */
const read = (element: Element): string =>
  [...element.children]
    .filter((child) => child.tagName !== 'STYLE')
    .map((child) => (child.children.length > 0 ? read(child) : child.textContent))
    .filter(Boolean)
    .join(' ');

// Machines may be slow, and a longer wait does not make a test wrong.
configure({
  asyncUtilTimeout: 10_000,
  // The visible text is more useful than pages of markup.
  getElementError: (message) => new Error(`${message}\nThere is: ${read(document.body)}`),
});

// React's development build creates a stack trace for each of its first 10,000 elements in every second: a fifth of
// all time.
const internals = Object.entries(React).find(([name]) => name.startsWith('__CLIENT_INTERNALS'))![1] as object;
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
  get: () => Number.POSITIVE_INFINITY,
  set: () => undefined,
});

// From Node 25 on there is a `localStorage` of Node's own, which stores nothing and hides happy-dom's.
const { localStorage: kept, sessionStorage: keptByTab } = new Window();
Object.defineProperties(globalThis, {
  localStorage: { value: kept, configurable: true },
  sessionStorage: { value: keptByTab, configurable: true },
});

// On-demand components are present immediately, as for a user whose browser was idle before.
beforeAll(loadAllOnDemand);

const isNarrow = (): boolean => document.documentElement.dataset.testWidth === 'phone';

// What happy-dom lacks. As in the browser tests, animations are off: drawers open immediately.
window.matchMedia = (media) =>
  Object.assign(new EventTarget(), {
    media,
    matches: media.includes('prefers-reduced-motion') || (media.includes('max-width') && isNarrow()),
    onchange: null,
    addListener: () => undefined,
    removeListener: () => undefined,
  });
Object.assign(document, { fonts: new EventTarget() });
// React warns of elements unknown to the DOM, and happy-dom does not know <search>.
Object.defineProperty(HTMLUnknownElement.prototype, Symbol.toStringTag, { value: 'HTMLElement' });

// No stylesheet is loaded here, and happy-dom's own search for rules took a sixth of all time.
const INLINE = /^(a|abbr|b|code|em|i|input|kbd|label|mark|s|select|small|span|strong|sub|sup|svg|time|u)$/i;
window.getComputedStyle = (element) => {
  const { style, localName } = element as HTMLElement;
  const display = style.display || (INLINE.test(localName) ? 'inline' : 'block');
  const own = (name: string): string => (name === 'display' ? display : style.getPropertyValue(name));
  return new Proxy(style, {
    get: (target, name) => {
      if (name === 'display') return display;
      if (name === 'getPropertyValue') return own;
      return Reflect.get(target, name, target);
    },
  });
};

// Without layout nothing has a size: a virtual table would show no row, and a menu would hide.
Element.prototype.getBoundingClientRect = () => new DOMRect(0, 0, 100, 37);
const heightOf = (element: HTMLElement): number => (/^(TR|LI)$/.test(element.tagName) ? 37 : 900);
for (const side of ['offset', 'client'])
  Object.defineProperties(HTMLElement.prototype, {
    [`${side}Width`]: { get: () => 1200 },
    [`${side}Height`]: {
      get(this: HTMLElement) {
        return heightOf(this);
      },
    },
  });

/** Warnings of React (duplicate keys, unknown attributes) fail the test. */
const complaints: string[] = [];
beforeEach(() => {
  complaints.length = 0;
  vi.spyOn(console, 'error').mockImplementation((...message) => void complaints.push(format(...message)));
});

afterEach(async () => {
  cleanup();
  notifications.clean();
  await shortTimersEnded();
  document.body.replaceChildren();
  localStorage.clear();
  delete document.documentElement.dataset.testWidth;
  expect(complaints).toEqual([]);
});
