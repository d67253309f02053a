'use client';

import { useSyncExternalStore } from 'react';
import { usePreferences } from './preferences';

const never = () => () => undefined;
const readZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
const unknown = () => null;

/** The time zone of the user's preferences, or of the browser: null while the server renders, which does not know that. */
export const useTimeZone = (): string | null => {
  const { timeZone } = usePreferences().preferences;
  const own = useSyncExternalStore<string | null>(never, readZone, unknown);
  return timeZone ?? own;
};
