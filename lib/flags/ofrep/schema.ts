import { z } from 'zod';
import { contract } from '@/lib/contract';

/** OpenFeature's remote evaluation protocol, version 1 (OFREP): shapes and codes are the protocol's own. */
const evaluation = z.object({
  key: z.string().meta({ description: "The flag's name." }),
  reason: z.literal('STATIC'),
  variant: z.string().meta({ description: '`on` and `off` of a boolean, `text` of any other value.' }),
  value: z.union([z.boolean(), z.string()]),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type Evaluation = z.output<typeof evaluation>;

const failure = z.object({
  key: z.string(),
  errorCode: z.enum(['PARSE_ERROR', 'GENERAL']),
  errorDetails: z.string(),
});
export type EvaluationFailure = z.output<typeof failure>;

/** What the application knows of its user. Flags here are the same for everybody, so it is taken and not used. */
const context = z.record(z.string(), z.unknown()).nullish();

const base = '/api/v1/connections/{connection}/ofrep/v1/evaluate/flags' as const;

export const ofrepContracts = {
  evaluate: contract({
    id: 'ofrep.evaluate',
    method: 'POST',
    path: `${base}/{key}`,
    permission: 'flags:evaluate',
    summary: "One flag's value for an application (OpenFeature's remote evaluation protocol).",
    input: z.strictObject({ key: z.string().min(1).max(300), context }),
    result: evaluation,
  }),
  evaluateAll: contract({
    id: 'ofrep.evaluateAll',
    method: 'POST',
    path: base,
    permission: 'flags:evaluate',
    summary: "All flags' values for an application; 304 while `If-None-Match` has the present ETag.",
    input: z.strictObject({ context }),
    result: z.object({ flags: z.array(z.union([evaluation, failure])) }),
  }),
};
