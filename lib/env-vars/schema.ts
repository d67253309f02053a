import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  LIST_BODY_BYTES,
  pageInputOf,
  pageOf,
  shortListInput,
  UPLOAD_BODY_BYTES,
} from '@/lib/contract';
import { namesAge } from '@/lib/values/schema';

const MEBIBYTE = 1024 * 1024;

/** Document 000 §2, in its order; `other` is what fits none of them. */
export const CATEGORIES = [
  'database',
  'auth',
  'redis',
  'search',
  'integrations',
  'security',
  'logging',
  'features',
  'other',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** What a variable holds, told by its name: chooses the editor and the rule its value is held to. */
export const KINDS = ['url', 'boolean', 'integer', 'log-level', 'list', 'text'] as const;
export type Kind = (typeof KINDS)[number];

/**
 * What is wrong with a variable as it stands: it carries a TTL and will vanish, its key holds another type, its bytes
 * are no text, it is too large to edit, its name or its value breaks the rule for it.
 */
export const PROBLEM_CODES = ['ttl', 'wrong-type', 'not-text', 'too-large', 'name', 'value'] as const;

const problem = z.object({ code: z.enum(PROBLEM_CODES), message: z.string() });
export type VariableProblem = z.output<typeof problem>;

/** Names are bytes: what is no UTF-8 is written `\xNN`, the empty name `\x{}`, as in lists, and accepted so. */
export const NAME_LIMIT = 1000;
const name = z.string().min(1).max(NAME_LIMIT);
/** Environment variables as every shell takes them (POSIX: letters, digits, `_`, no digit first). */
export const newVariableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'A name has letters, digits and _, and begins with no digit.');
const etag = z.string().min(1).max(100);

/** The value as text, or as base64 where it is no UTF-8: exactly one of them. */
const newValue = {
  value: z.string().max(MEBIBYTE).optional(),
  valueBase64: z
    .base64()
    .max(Math.ceil(1.4 * MEBIBYTE))
    .optional(),
};
const noUndo = z.string().nullish().meta({ description: 'Why this change cannot be taken back.' });
const anyway = z.boolean().default(false).meta({
  description:
    'Saves a value that breaks a rule which is only a guess from the name (409 `value_doubtful` otherwise).',
});

export const variable = z.object({
  name: z.string(),
  category: z.enum(CATEGORIES),
  secret: z.boolean().meta({ description: 'By name or by shape: masked for everyone until revealed.' }),
  secretBy: z.enum(['name', 'shape']).nullable(),
  kind: z.enum(KINDS),
  value: z.string().nullable().meta({ description: 'null when secret, not UTF-8, cut or not a string.' }),
  valueBase64: z.string().nullish().meta({ description: 'Of a value that is no UTF-8 and not secret.' }),
  lengthBytes: z.number(),
  type: z.string(),
  ttlSeconds: z.number().nullable(),
  problems: z.array(problem),
  etag: z.string(),
  updatedAt: isoTime.nullable(),
  updatedBy: z.string().nullable(),
});
export type Variable = z.output<typeof variable>;

/** One line of what an import or a restore would do, or did. Secrets are told apart by `changed`, never shown. */
export const diffLine = z.object({
  name: z.string(),
  change: z.enum(['create', 'update', 'delete', 'same', 'refused']),
  secret: z.boolean(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  problems: z.array(z.object({ line: z.number().nullable(), message: z.string() })),
});
export type DiffLine = z.output<typeof diffLine>;

const diffResult = changeResult({
  dryRun: z.boolean(),
  diff: z.array(diffLine),
  created: z.number(),
  updated: z.number(),
  deleted: z.number(),
  unchanged: z.number(),
  refused: z.number(),
  etag: z
    .string()
    .meta({ description: 'Of this very diff: send it back to apply what was seen, 412 otherwise.' }),
  source: z
    .object({ connection: z.string(), at: isoTime })
    .nullish()
    .meta({ description: 'Where and when the backup was made that is put back.' }),
  noUndo,
}).extend({ auditId: z.string().nullable() });

export const backup = z.object({
  id: z.string(),
  at: isoTime,
  kind: z.enum(['daily', 'before-restore']),
  variables: z.number(),
  skipped: z
    .array(z.string())
    .meta({ description: 'Left out: too large, or their keys hold no string. A hundred names at most.' }),
  bytes: z.number(),
  expiresAt: isoTime.nullable(),
});
export type Backup = z.output<typeof backup>;

const passphrase = z.string().min(12, 'A passphrase has 12 characters or more.').max(1000);

export const envContracts = {
  list: contract({
    id: 'env.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/env',
    permission: 'env:view',
    summary:
      'Environment variables in the categories of the application, secrets masked; and what is missing.',
    input: z.strictObject({ q: z.string().max(200).optional() }),
    result: z.object({
      groups: z.array(z.object({ category: z.enum(CATEGORIES), variables: z.array(variable) })),
      missing: z
        .array(z.object({ name: z.string(), category: z.enum(CATEGORIES) }))
        .meta({ description: 'Variables the application documents by name and which are not there.' }),
      total: z.number().meta({ description: 'Of all variables, whatever was searched for.' }),
      ...namesAge,
    }),
  }),
  reveal: contract({
    id: 'env.reveal',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env/{name}/reveal',
    permission: 'env:reveal',
    summary: 'One value in the clear; audited each time.',
    input: changeInput({ name }),
    result: changeResult({
      name: z.string(),
      value: z.string().nullable(),
      valueBase64: z.string().nullish(),
      etag: z.string(),
    }),
  }),
  set: contract({
    id: 'env.set',
    method: 'PUT',
    path: '/api/v1/connections/{connection}/env/{name}',
    permission: 'env:write',
    summary: 'Sets a variable if it is still what was read; its TTL, if any, is kept.',
    maxBodyBytes: LIST_BODY_BYTES,
    input: changeInput({ name, ...newValue, etag, anyway }),
    result: changeResult({ name: z.string(), etag: z.string(), problems: z.array(problem), noUndo }),
  }),
  create: contract({
    id: 'env.create',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env',
    permission: 'env:write',
    summary: 'Creates a variable; 409 where there is one of this name.',
    status: 201,
    maxBodyBytes: LIST_BODY_BYTES,
    input: changeInput({ name: newVariableName, ...newValue, etag: z.null().optional(), anyway }),
    result: changeResult({ name: z.string(), etag: z.string(), problems: z.array(problem) }),
  }),
  rename: contract({
    id: 'env.rename',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env/{name}/rename',
    permission: 'env:write',
    summary: 'Gives a variable another name that is free, in one step; value and TTL stay.',
    input: changeInput({ name, newName: newVariableName, etag, anyway }),
    result: changeResult({ name: z.string(), etag: z.string(), problems: z.array(problem) }),
  }),
  delete: contract({
    id: 'env.delete',
    method: 'DELETE',
    path: '/api/v1/connections/{connection}/env/{name}',
    permission: 'env:write',
    summary: 'Deletes a variable; can be taken back while nobody created it again.',
    input: changeInput({ name, etag }),
    result: changeResult({ name: z.string(), etag: z.null(), noUndo }),
  }),
  history: contract({
    id: 'env.history',
    method: 'GET',
    path: '/api/v1/connections/{connection}/env/{name}/history',
    permission: 'env:view',
    summary:
      'Who changed or revealed a variable, when and why, newest first; of secrets only that they changed.',
    input: z.strictObject({ name, ...pageInputOf(200) }),
    result: pageOf(
      z.object({
        auditId: z.string(),
        at: isoTime,
        actor: z.string(),
        action: z.string(),
        from: z.string().nullable().meta({ description: 'null when secret, or there was none.' }),
        to: z.string().nullable(),
        changed: z.boolean(),
        renamed: z
          .object({ from: z.string(), to: z.string() })
          .nullish()
          .meta({ description: 'The names of a rename, which changes no value.' }),
        reason: z.string().nullable(),
        outcome: z.string(),
        undoUntil: isoTime.nullable(),
        undoneBy: z.string().nullable(),
      }),
    ),
  }),
  import: contract({
    id: 'env.import',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env-file/import',
    permission: 'env:write',
    summary: 'Dotenv text: a diff with `dryRun`, else all of it or nothing.',
    maxBodyBytes: UPLOAD_BODY_BYTES,
    input: changeInput({
      text: z.string().max(16 * MEBIBYTE),
      dryRun: z.boolean().default(false),
      etag: etag.optional(),
      anyway,
    }),
    result: diffResult,
  }),
  export: contract({
    id: 'env.export',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env-file/export',
    permission: 'env:reveal',
    summary: 'All variables as dotenv text, with or without the secret ones; audited.',
    input: changeInput({ secrets: z.boolean().default(true) }),
    result: changeResult({
      text: z.string(),
      variables: z.number(),
      skipped: z.array(z.object({ name: z.string(), why: z.string() })),
    }),
  }),
  backup: contract({
    id: 'env.backup',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env-backups',
    permission: 'env:reveal',
    summary: 'All variables as a file encrypted under a passphrase (AES-256-GCM, scrypt, versioned header).',
    input: changeInput({ passphrase }),
    result: changeResult({
      fileName: z.string(),
      file: z.base64(),
      variables: z.number(),
      skipped: z.array(z.object({ name: z.string(), why: z.string() })),
    }),
  }),
  backups: contract({
    id: 'env.backups.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/env-backups',
    permission: 'env:view',
    summary: 'The daily backups kept in the store under the console’s own key, newest first.',
    input: z.strictObject(shortListInput),
    result: pageOf(backup),
  }),
  restore: contract({
    id: 'env.restore',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env-backups/restore',
    permission: 'env:write',
    summary: 'A diff with `dryRun`, else puts back a kept backup or a file: all of it or nothing.',
    walks: 'dryRun',
    maxBodyBytes: UPLOAD_BODY_BYTES,
    input: changeInput({
      id: z.string().max(100).optional().meta({ description: 'A kept backup; or `file` and `passphrase`.' }),
      file: z
        .base64()
        .max(16 * MEBIBYTE)
        .optional(),
      passphrase: z.string().max(1000).optional(),
      deleteOthers: z
        .boolean()
        .default(false)
        .meta({ description: 'Deletes what the backup does not hold.' }),
      leaveFlags: z
        .boolean()
        .default(false)
        .meta({ description: 'Leaves `FEATURE_*` as they are: two people may have to change those.' }),
      dryRun: z.boolean().default(false),
      etag: etag.optional(),
    }),
    result: diffResult,
  }),
};
