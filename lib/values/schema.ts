import { z } from 'zod';
import { isoTime } from '@/lib/contract';

/** How the empty name of a variable is written: names stand in addresses, where nothing cannot. */
export const EMPTY_NAME = '\\x{}';

/** What a list of variables or flags says of its names: values are read now, which names there are may be older. */
export const namesAge = {
  indexedAt: isoTime.meta({ description: 'The names of what existed then, and still does, are all here.' }),
  complete: z
    .boolean()
    .meta({ description: 'false: newer names are being looked for; read again in a second or two.' }),
};
