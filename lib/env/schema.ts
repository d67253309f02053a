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

/** The categories of the publishing platform's variables; all other variables are in `other`. */
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

/** Kind of a variable, derived from its name: decides the editor and the check of its value. */
export const KINDS = ['url', 'boolean', 'integer', 'log-level', 'list', 'text'] as const;
export type Kind = (typeof KINDS)[number];

/**
 * Problems of a variable: it has a TTL and will expire, its key is not a string, its bytes are not text, it is too large
 * to edit, or its name or value fails a check.
 */
export const PROBLEM_CODES = ['ttl', 'wrong-type', 'not-text', 'too-large', 'name', 'value'] as const;

const problem = z.object({
  code: z.enum(PROBLEM_CODES),
  message: z.string(),
  why: z.string().optional().meta({ description: 'What the check found, for pages that translate it.' }),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
export type VariableProblem = z.output<typeof problem>;

/** Longest name in the API. Names are bytes: invalid UTF-8 is written `\xNN`, the empty name `\x{}`. */
export const NAME_LIMIT = 1000;
const name = z.string().min(1).max(NAME_LIMIT);
/** POSIX names: letters, digits, `_`, no leading digit. */
export const NEW_NAME = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]{0,199}$/,
  fault: 'Use letters, digits and _, and do not start with a digit.',
};
const newVariableName = z.string().regex(NEW_NAME.pattern, NEW_NAME.fault);
const etag = z.string().min(1).max(100);

/** The value as text, or as base64 if it is not UTF-8: exactly one of them. */
const newValue = {
  value: z.string().max(MEBIBYTE).optional(),
  valueBase64: z
    .base64()
    .max(Math.ceil(1.4 * MEBIBYTE))
    .optional(),
};
const noUndo = z.string().nullish().meta({ description: 'Why this change cannot be undone.' });
const anyway = z.boolean().default(false).meta({
  description:
    'Saves a value that fails a check which is only a guess from the name (otherwise 409 `value_doubtful`).',
});

export const variable = z.object({
  name: z.string(),
  category: z.enum(CATEGORIES),
  secret: z.boolean().meta({ description: 'By name or by value: masked until revealed.' }),
  secretBy: z.enum(['name', 'shape']).nullable(),
  kind: z.enum(KINDS),
  value: z.string().nullable().meta({ description: 'null if secret, not UTF-8, too long or not a string.' }),
  valueBase64: z.string().nullish().meta({ description: 'For a value that is neither UTF-8 nor secret.' }),
  lengthBytes: z.number(),
  type: z.string(),
  ttlSeconds: z.number().nullable(),
  problems: z.array(problem),
  etag: z.string(),
  updatedAt: isoTime.nullable(),
  updatedBy: z.string().nullable(),
});
export type Variable = z.output<typeof variable>;

/** One line of a preview or result of an import or restore. Values of secrets are null. */
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
  etag: z.string().meta({
    description:
      'Etag of this preview. Send it to apply exactly these changes; 412 if variables changed since.',
  }),
  source: z
    .object({ connection: z.string(), at: isoTime })
    .nullish()
    .meta({ description: 'Connection and time of the restored backup.' }),
  noUndo,
}).extend({ auditId: z.string().nullable() });

/** Daily ones by themselves, `manual` by a user, the others before a restore. */
export const BACKUP_KINDS = ['daily', 'manual', 'before-restore'] as const;

export const backup = z.object({
  id: z.string(),
  at: isoTime,
  kind: z.enum(BACKUP_KINDS),
  variables: z.number(),
  skipped: z
    .array(z.string())
    .meta({ description: 'Names left out: too large or not strings. At most 100.' }),
  bytes: z.number(),
  expiresAt: isoTime.nullable(),
});
export type Backup = z.output<typeof backup>;

const passphrase = z.string().min(12, 'Use at least 12 characters.').max(1000);

export const envContracts = {
  list: contract({
    id: 'env.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/env',
    permission: 'env:view',
    summary: 'Environment variables by category, secrets masked, and documented variables that are not set.',
    input: z.strictObject({ q: z.string().max(200).optional() }),
    result: z.object({
      groups: z.array(z.object({ category: z.enum(CATEGORIES), variables: z.array(variable) })),
      missing: z
        .array(z.object({ name: z.string(), category: z.enum(CATEGORIES) }))
        .meta({ description: 'Variables that the application documents but that are not set.' }),
      total: z.number().meta({ description: 'Number of all variables, regardless of the search.' }),
      ...namesAge,
    }),
  }),
  reveal: contract({
    id: 'env.reveal',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env/{name}/reveal',
    touches: ['env.history'],
    permission: 'env:reveal',
    summary: 'Reads one value in plain text; audited.',
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
    touches: ['env', 'flags'],
    permission: 'env:write',
    summary: 'Sets a variable if it is unchanged since it was read. Keeps its TTL.',
    maxBodyBytes: LIST_BODY_BYTES,
    input: changeInput({
      name,
      ...newValue,
      valueBefore: z.string().max(100).optional().meta({
        description:
          'Instead of a value: the change (`auditId`) whose replaced value is restored, while its undo keeps that.',
      }),
      etag,
      anyway,
    }),
    result: changeResult({ name: z.string(), etag: z.string(), problems: z.array(problem), noUndo }),
  }),
  create: contract({
    id: 'env.create',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env',
    touches: ['env', 'flags'],
    permission: 'env:write',
    summary: 'Creates a variable; 409 if it exists.',
    status: 201,
    maxBodyBytes: LIST_BODY_BYTES,
    input: changeInput({ name: newVariableName, ...newValue, etag: z.null().optional(), anyway }),
    result: changeResult({ name: z.string(), etag: z.string(), problems: z.array(problem) }),
  }),
  rename: contract({
    id: 'env.rename',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env/{name}/rename',
    touches: ['env', 'flags'],
    permission: 'env:write',
    summary: 'Renames a variable atomically; keeps value and TTL. 409 if the new name exists.',
    input: changeInput({ name, newName: newVariableName, etag, anyway }),
    result: changeResult({ name: z.string(), etag: z.string(), problems: z.array(problem) }),
  }),
  delete: contract({
    id: 'env.delete',
    method: 'DELETE',
    path: '/api/v1/connections/{connection}/env/{name}',
    touches: ['env', 'flags'],
    permission: 'env:write',
    summary: 'Deletes a variable. Can be undone until someone creates it again.',
    input: changeInput({ name, etag }),
    result: changeResult({ name: z.string(), etag: z.null(), noUndo }),
  }),
  history: contract({
    id: 'env.history',
    method: 'GET',
    path: '/api/v1/connections/{connection}/env/{name}/history',
    permission: 'env:view',
    summary: 'Who changed or revealed a variable, when and why, newest first. No values of secrets.',
    input: z.strictObject({ name, ...pageInputOf(200) }),
    result: pageOf(
      z.object({
        auditId: z.string(),
        at: isoTime,
        actor: z.string(),
        action: z.string(),
        from: z.string().nullable().meta({ description: 'null if secret or if the variable did not exist.' }),
        fromCut: z.boolean().meta({ description: '`from` is only the beginning of the value.' }),
        kept: z.boolean().meta({
          description:
            'The value before it can be restored by `valueBefore` of env.set, also that of a secret.',
        }),
        to: z.string().nullable(),
        changed: z.boolean(),
        renamed: z
          .object({ from: z.string(), to: z.string() })
          .nullish()
          .meta({ description: 'Old and new name, for a rename.' }),
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
    touches: ['env', 'flags'],
    permission: 'env:write',
    summary: 'Imports dotenv text, all of it or nothing; with `dryRun` returns a preview.',
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
    touches: ['env.history'],
    permission: 'env:reveal',
    summary: 'Exports all variables as dotenv text, with or without secrets; audited.',
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
    touches: ['env.history'],
    permission: 'env:reveal',
    summary: 'Returns all variables as a file encrypted with a passphrase (AES-256-GCM, scrypt).',
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
    summary: 'Stored backups, encrypted with Keyward’s key, newest first.',
    input: z.strictObject(shortListInput),
    result: pageOf(backup),
  }),
  backUpNow: contract({
    id: 'env.backups.create',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env-backups/stored',
    touches: ['env.backups'],
    permission: 'env:write',
    summary: 'Stores a backup of all variables now, encrypted with Keyward’s key. The newest 30 stay.',
    input: changeInput({}),
    result: changeResult({ backup }),
    status: 201,
  }),
  restore: contract({
    id: 'env.restore',
    method: 'POST',
    path: '/api/v1/connections/{connection}/env-backups/restore',
    touches: ['env', 'flags'],
    permission: 'env:write',
    summary: 'Restores a stored backup or a file, all of it or nothing; with `dryRun` returns a preview.',
    walks: 'dryRun',
    maxBodyBytes: UPLOAD_BODY_BYTES,
    input: changeInput({
      id: z
        .string()
        .max(100)
        .optional()
        .meta({ description: 'A stored backup; or send `file` and `passphrase`.' }),
      file: z
        .base64()
        .max(16 * MEBIBYTE)
        .optional(),
      passphrase: z.string().max(1000).optional(),
      deleteOthers: z
        .boolean()
        .default(false)
        .meta({ description: 'Deletes variables that are not in the backup.' }),
      leaveFlags: z
        .boolean()
        .default(false)
        .meta({ description: 'Does not change `FEATURE_*`, whose changes may need approval.' }),
      except: z
        .array(name)
        .max(10_000)
        .default([])
        .meta({ description: 'Variables that stay as they are; the `etag` is that of all of them.' }),
      dryRun: z.boolean().default(false),
      etag: etag.optional(),
    }),
    result: diffResult,
  }),
};
