import { z } from 'zod';
import { changeInput, changeResult, contract, isoTime, noInput } from '@/lib/contract';

/** Feature flags are environment variables of this name (document 000 §2; issue rule for new names). */
export const flagName = z
  .string()
  .regex(/^FEATURE_[A-Z0-9_]{1,120}$/, 'A flag is named FEATURE_ and A-Z, 0-9, _.');

export const flag = z.object({
  name: z.string(),
  key: z.string(),
  enabled: z.boolean().nullable().meta({ description: 'null when the value is no boolean.' }),
  raw: z
    .string()
    .nullable()
    .meta({ description: 'The stored text; null when it looks secret or is not text.' }),
  type: z.string(),
  description: z.string().nullable(),
  etag: z.string(),
  ttlSeconds: z.number().nullable(),
  updatedAt: isoTime.nullable(),
  updatedBy: z.string().nullable(),
  reason: z.string().nullable(),
  stale: z.boolean().meta({ description: 'Unchanged through this console for 30 days.' }),
  schedule: z.array(z.object({ at: isoTime, enabled: z.boolean() })),
});
export type Flag = z.output<typeof flag>;

export const flagContracts = {
  list: contract({
    id: 'flags.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/flags',
    permission: 'flags:view',
    summary: 'Feature flags with their state, and who changed each last.',
    input: noInput,
    result: z.object({ items: z.array(flag), nextCursor: z.null() }),
  }),
  set: contract({
    id: 'flags.set',
    method: 'PUT',
    path: '/api/v1/connections/{connection}/flags/{name}',
    permission: 'flags:toggle',
    summary: 'Turns a flag on or off, keeping the style in use (true/false, 1/0, on/off, yes/no, any case).',
    input: changeInput({
      name: z.string().min(1).max(200),
      enabled: z.boolean(),
      etag: z.string().min(1).max(100),
    }),
    result: changeResult({ name: z.string(), enabled: z.boolean(), raw: z.string(), etag: z.string() }),
  }),
  history: contract({
    id: 'flags.history',
    method: 'GET',
    path: '/api/v1/connections/{connection}/flags/{name}/history',
    permission: 'flags:view',
    summary: 'Who changed a flag, when and why, newest first.',
    input: z.strictObject({ name: z.string().min(1).max(200) }),
    result: z.object({
      items: z.array(
        z.object({
          auditId: z.string(),
          at: isoTime,
          actor: z.string(),
          from: z.string().nullable(),
          to: z.string().nullable(),
          reason: z.string().nullable(),
          outcome: z.string(),
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
  }),
};
