'use client';

import { useEffect } from 'react';

/** Calls `hide` when nobody looks any more: another tab, another page, a sleeping machine's lid. */
export const useWhenHidden = (active: boolean, hide: () => void): void => {
  useEffect(() => {
    if (!active) return;
    const onChange = () => document.hidden && hide();
    document.addEventListener('visibilitychange', onChange);
    // Also into the browser's back/forward cache, which would bring the page back as it was.
    window.addEventListener('pagehide', hide);
    return () => {
      document.removeEventListener('visibilitychange', onChange);
      window.removeEventListener('pagehide', hide);
    };
  }, [active, hide]);
};
