'use client';

import { useEffect } from 'react';

/** Calls `hide` when the page is hidden: another tab or page, or a sleeping computer. */
export const useWhenHidden = (active: boolean, hide: () => void): void => {
  useEffect(() => {
    if (!active) return;
    const onChange = () => document.hidden && hide();
    document.addEventListener('visibilitychange', onChange);
    // Also on entering the back/forward cache, which would restore the page with the value.
    window.addEventListener('pagehide', hide);
    return () => {
      document.removeEventListener('visibilitychange', onChange);
      window.removeEventListener('pagehide', hide);
    };
  }, [active, hide]);
};
