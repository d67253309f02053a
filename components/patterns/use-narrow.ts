'use client';

import { useSyncExternalStore } from 'react';

/** The width of a phone, as in the stylesheets. */
const NARROW = '(max-width: 40em)';

const subscribe = (onChange: () => void) => {
  const media = window.matchMedia(NARROW);
  media.addEventListener('change', onChange);
  return () => media.removeEventListener('change', onChange);
};

/** Whether the page is as narrow as a phone. False during rendering on the server. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => window.matchMedia(NARROW).matches,
    () => false,
  );
