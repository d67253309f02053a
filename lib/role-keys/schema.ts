import { z } from 'zod';
import { isoTime } from '@/lib/contract';

/** What a list of keys whose values were read in one pass says of that pass (`RolePass`). */
export const passFields = {
  foundAt: isoTime.nullable().meta({ description: 'When the scan ended; null while the first one runs.' }),
  readAt: isoTime
    .nullable()
    .meta({ description: 'When the values were read; null while the first read runs.' }),
  isComplete: z.boolean().meta({
    description: 'false while the first scan runs, and where there are more than 5000 keys.',
  }),
};
