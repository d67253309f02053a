'use client';

import { useEffect, useState } from 'react';

/**
 * Whether something is open, one effect later: what is placed by another element finds that in an effect, and what
 * returns the focus does so only if it has been closed before.
 */
export const useLater = (opened: boolean): boolean => {
  const [isShown, setShown] = useState(false);
  useEffect(() => setShown(opened), [opened]);
  return isShown;
};
