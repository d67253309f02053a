import { z } from 'zod';
import { contract, pageInput, pageOf } from '@/lib/contract';
import { listedKey, listedPage, shownBytes } from '@/lib/key-values/schema';

export const COUNTER_KINDS = ['count', 'bitmap', 'hyperloglog'] as const;
export type CounterKind = (typeof COUNTER_KINDS)[number];

const counter = listedKey.extend({
  kind: z.enum(COUNTER_KINDS).meta({ description: 'By its family.' }),
  bytes: z.number().nullable().meta({ description: 'Length of the string.' }),
  number: z.number().nullable().meta({ description: 'Of a count; null where the value is no number.' }),
  digits: z.string().nullable().meta({ description: 'The number as stored: JSON rounds long ones.' }),
  text: shownBytes.nullable().meta({
    description: 'The beginning of a value that is no number; masked where the value is not shown.',
  }),
  bitsSet: z
    .number()
    .nullable()
    .meta({ description: 'Of a bitmap; of its first MiB with `bitsArePartial`.' }),
  bitsArePartial: z.boolean(),
  bits: z.number().nullable().meta({ description: 'Length of a bitmap in bits.' }),
  firstSetBit: z.number().nullable().meta({ description: 'As SETBIT numbers them; null for none.' }),
  cardinality: z.number().nullable().meta({ description: 'Estimated, of a HyperLogLog.' }),
  problem: z
    .enum(['wrongType', 'unreadable', 'notANumber', 'notAHyperLogLog', 'damaged'])
    .nullable()
    .meta({ description: 'Why it cannot be read as what its family says.' }),
});
export type Counter = z.output<typeof counter>;

export const counterContracts = {
  list: contract({
    id: 'counters.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/counters',
    permission: 'live:view',
    summary: 'Counters, bitmaps and HyperLogLogs by name, read as what they are.',
    input: z.strictObject({ kind: z.enum(COUNTER_KINDS).optional(), ...pageInput }),
    result: pageOf(counter).extend(listedPage),
  }),
};
