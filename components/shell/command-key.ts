'use client';

import { useEffect, useState } from 'react';

/** The key of shortcuts as this computer's keyboard shows it. The server cannot know it. */
export const useCommandKey = (): string => {
  const [key, setKey] = useState('Ctrl+');
  useEffect(() => {
    if (/Mac|iPhone|iPad/.test(navigator.platform)) setKey('⌘');
  }, []);
  return key;
};
