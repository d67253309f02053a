import { z } from 'zod';
import { contract, exactDigits, isoTime, pageOf, shortListInput } from '@/lib/contract';

const item = z.object({
  shoutId: z.string(),
  slug: z.string().nullable().meta({ description: 'null where the slug map has none for it.' }),
  views: z.number().meta({ description: 'Counted and imported.' }),
  viewsExact: exactDigits,
  counted: z.number().nullable().meta({ description: "The application's counter; null without one." }),
  countedExact: exactDigits,
  imported: z.number().nullable().meta({ description: 'In the latest import; null where it is not in it.' }),
  importedExact: exactDigits,
  title: z.string().nullable(),
});
export type ViewedItem = z.output<typeof item>;

const drift = z.object({
  what: z.enum([
    'slugWithoutViews',
    'viewsWithoutSlug',
    'totalDiffers',
    'notANumber',
    'severalSlugs',
    'wrongType',
  ]),
  count: z.number(),
  sample: z.array(z.string()),
  detail: z.string().nullable(),
});
export type ViewDrift = z.output<typeof drift>;

export const viewContracts = {
  top: contract({
    id: 'views.top',
    method: 'GET',
    path: '/api/v1/connections/{connection}/views/top',
    permission: 'live:view',
    summary:
      'Publications by views: counters and imports joined by the slug map, totals, and where they disagree.',
    input: z.strictObject({ ...shortListInput }),
    result: pageOf(item).extend({
      total: z
        .number()
        .nullable()
        .meta({ description: 'Views of all publications; null before the first pass.' }),
      totalExact: exactDigits,
      counted: z.number().nullable(),
      countedExact: exactDigits,
      imported: z.number().nullable(),
      importedExact: exactDigits,
      publications: z.number().nullable(),
      slugs: z.number().nullable(),
      slugsHold: z.enum(['ids', 'views']).nullable().meta({
        description:
          'What the slug map holds, by most of its values: ids of publications, or views, which are in no other figure. null before the first pass, and without a map.',
      }),
      exact: z.boolean().meta({ description: 'false where the order may miss a publication.' }),
      sampledAt: isoTime.nullable(),
      imports: z.array(
        z.object({
          at: isoTime.nullable(),
          key: z.string(),
          keyId: z.string(),
          publications: z.number(),
          total: z.number().nullable().meta({ description: 'As the import says (`_total`).' }),
          totalExact: exactDigits,
        }),
      ),
      drift: z.array(drift),
    }),
  }),
};
