import { notifications } from '@mantine/notifications';
import { cleanup, configure } from '@testing-library/react/pure';
import { afterEach } from 'vitest';

// A machine that does other work as well is slow, and a test that waits is not wrong for it.
configure({ asyncUtilTimeout: 10_000 });

// What a browser has and happy-dom has not. As in the browser tests, nothing moves: drawers are there at once.
window.matchMedia = (media) =>
  Object.assign(new EventTarget(), {
    media,
    matches: media.includes('prefers-reduced-motion'),
    onchange: null,
    addListener: () => undefined,
    removeListener: () => undefined,
  });
Object.assign(document, { fonts: new EventTarget() });
// React warns of elements that are unknown to the DOM, and happy-dom does not know <search>.
Object.defineProperty(HTMLUnknownElement.prototype, Symbol.toStringTag, { value: 'HTMLElement' });

afterEach(() => {
  cleanup();
  notifications.clean();
  document.body.replaceChildren();
  localStorage.clear();
});
