import { z } from 'zod';
import { contract, isoTime, noInput, pageOf, shortListInput } from '@/lib/contract';

const value = z.object({
  labels: z.record(z.string(), z.string()).meta({ description: 'A value for each name in `labels`.' }),
  value: z.number(),
  at: isoTime.meta({ description: 'When it was measured.' }),
});

const figureItem = z.object({
  name: z.string(),
  help: z.string(),
  unit: z.enum(['count', 'bytes', 'seconds', 'ratio', 'perSecond']),
  labels: z.array(z.string()).meta({ description: 'Names of the labels beside `connection`.' }),
  values: z.array(value).meta({ description: 'The newest values; empty while none is known.' }),
});
export type FigureItem = z.output<typeof figureItem>;

export const expositionContracts = {
  figures: contract({
    id: 'figures.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/figures',
    permission: 'view',
    summary:
      'The figures of one Redis that Prometheus gets and alert rules name, with their newest values, by name: those that the caller may see.',
    input: z.strictObject({
      ...shortListInput,
      q: z.string().max(200).optional().meta({ description: 'A part of the name or help, without case.' }),
    }),
    result: pageOf(figureItem),
  }),
  prometheus: contract({
    id: 'metrics.prometheus',
    method: 'GET',
    path: '/api/metrics',
    permission: 'view',
    summary:
      "All figures that the caller may see, of every Redis and of the console's own process, in Prometheus' text format. They are the console's last samples: no Redis is asked.",
    input: noInput,
    result: z.string(),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  }),
};
