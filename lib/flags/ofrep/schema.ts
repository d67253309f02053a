import { z } from 'zod';
import { contract } from '@/lib/contract';

/** OpenFeature remote evaluation protocol (OFREP), version 1: shapes and codes come from the protocol. */
const evaluation = z.object({
  key: z.string().meta({ description: "The flag's name." }),
  reason: z.literal('STATIC'),
  variant: z.string().meta({ description: '`on` or `off` for a boolean, `text` for any other value.' }),
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

/** Evaluation context. Accepted and ignored: flags here are the same for all users. */
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
    summary: "All flags' values for an application; 304 if `If-None-Match` has the current ETag.",
    input: z.strictObject({ context }),
    result: z.object({ flags: z.array(z.union([evaluation, failure])) }),
  }),
};
