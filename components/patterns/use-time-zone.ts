'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => undefined;
const readZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
const unknown = () => null;

/** The user's time zone, such as "Europe/Berlin"; null while rendering on the server, which does not know it. */
export const useTimeZone = (): string | null => useSyncExternalStore<string | null>(never, readZone, unknown);
