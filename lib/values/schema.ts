import { z } from 'zod';
import { isoTime } from '@/lib/contract';

/** Written form of the empty name: a URL path segment cannot be empty. */
export const EMPTY_NAME = '\\x{}';

/** Age of the names in a list of variables or flags; values are always read now. */
export const namesAge = {
  indexedAt: isoTime.meta({
    description: 'Includes every variable that existed at this time and still exists.',
  }),
  complete: z
    .boolean()
    .meta({ description: 'false: a scan for newer names is running; read again in a second or two.' }),
};
