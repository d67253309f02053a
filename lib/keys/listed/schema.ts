import { z } from 'zod';
import { isoTime } from '@/lib/contract';

/** The common fields of keys that are listed by their role. */
export const listedKey = z.object({
  keyId: z.string(),
  key: z.string().meta({ description: 'For display: secrets masked, other bytes as `\\xNN`.' }),
  name: z.string().meta({ description: 'Without the prefix of its family; masked as `key`.' }),
  family: z.string(),
  title: z.string().meta({ description: 'Of the family.' }),
  type: z
    .string()
    .meta({ description: '`none` where the key does not exist, `unreadable` if not permitted.' }),
  ttlSeconds: z.number().nullable(),
});
export type ListedKey = z.output<typeof listedKey>;

/** What a list of keys by role says of itself. */
export const listedPage = {
  total: z.number().meta({ description: 'Keys found by the latest scan.' }),
  complete: z.boolean().meta({
    description: 'false while the first scan is running, and where there are more than 5000 keys.',
  }),
  foundAt: isoTime.nullable().meta({
    description:
      'When that scan ended; null while the first one is running, and where one key was asked for.',
  }),
};
