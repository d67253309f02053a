import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  LIST_BODY_BYTES,
  pageInput,
  pageInputOf,
  queryBoolean,
  queryInteger,
  UPLOAD_BODY_BYTES,
} from '@/lib/contract';
import {
  bytesInput,
  element,
  elementId,
  keyEdit,
  keyIdText,
  relatedKey,
  score,
  shownBytes,
  streamGroup,
  stringView,
  ttl,
} from '@/lib/key-values/schema';

const states = z.enum(['classified', 'malformed', 'unclassified']);

export const keyRow = z.object({
  keyId: z.string(),
  key: z.string().meta({ description: 'For display: secrets masked, other bytes as `\\xNN`.' }),
  family: z.string().nullable(),
  title: z.string().nullable(),
  state: states,
  params: z.record(z.string(), z.string()).meta({ description: 'Masked as in `key`.' }),
  type: z.string(),
  ttlSeconds: z.number().nullable(),
  memoryBytes: z.number().nullable(),
  secret: z.boolean().meta({ description: 'The key itself contains a secret.' }),
  sensitive: z.boolean().meta({ description: 'A session, token, variable or lock, or unknown.' }),
});
export type KeyRow = z.output<typeof keyRow>;

/** Filters of a list of keys. All given ones apply. */
const filterFields = {
  family: z.string().min(1).max(100).optional(),
  params: z.string().max(4000).optional().meta({
    description: 'Exact values of the family’s parameters, as a query: `user_id=12&provider=google`.',
  }),
  match: z.string().min(1).max(500).optional().meta({ description: 'A Redis glob; `\\` escapes.' }),
  state: states.optional(),
  type: z.string().min(1).max(50).optional(),
  ttl: z.enum(['none', 'expiring']).optional(),
  ttlBelowSeconds: queryInteger(1, 3_153_600_000).optional(),
  minBytes: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
  maxBytes: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
};

export const keyFilter = z.strictObject(filterFields);
export type KeyFilter = z.output<typeof keyFilter>;

const keyPage = z.object({
  items: z.array(keyRow),
  nextCursor: z.string().nullable(),
  examined: z.number().meta({ description: 'Keys examined for this page.' }),
  total: z.number().nullable().meta({ description: 'Keys in the database, for the progress of the scan.' }),
});

/** A branch of the tree: keys that share the value of one more parameter, or of one more part of the name. */
const keyGroup = z.object({
  value: z.string().meta({ description: 'For display.' }),
  /** What to put into `params` or `prefix` to open it; null where it cannot be opened, as a secret. */
  open: z.string().nullable(),
  keys: z.number().meta({ description: 'Found by this page: a client adds pages up.' }),
});

export const keyDrift = z.object({
  what: z.enum(['type', 'ttl', 'field']),
  documented: z.string(),
  found: z.string(),
});

export const keyDetails = keyRow.extend({
  expiresAt: isoTime.nullable(),
  expiresAtMs: z
    .string()
    .optional()
    .meta({ description: 'Epoch ms of an expiry after the year 9999, which `expiresAt` cannot express.' }),
  encoding: z.string().nullable(),
  length: z.number().nullable().meta({ description: 'Bytes of a string, elements of a collection.' }),
  idleSeconds: z
    .number()
    .nullable()
    .meta({ description: 'null where the policy counts frequency, and of a small integer.' }),
  frequency: z.number().nullable(),
  documented: z
    .object({ type: z.string(), ttl: z.string(), purpose: z.string(), role: z.string().nullable() })
    .nullable(),
  etag: z.string(),
  hidden: z
    .enum(['secret', 'permission'])
    .nullable()
    .meta({ description: 'Why no part of the value is shown.' }),
  needs: z.string().nullable().meta({ description: 'The permission that shows the value.' }),
  revealable: z.boolean().meta({ description: 'Whether `keys.reveal` shows more than this.' }),
  readOnlyReason: z
    .enum(['permission', 'readOnly', 'ownKey', 'type', 'approval'])
    .nullable()
    .meta({ description: 'Why it cannot be changed here; null where it can.' }),
  page: z.string().nullable().meta({ description: 'The id of the page made for this family.' }),
  string: stringView.nullable(),
  elements: z.array(element),
  nextCursor: z.string().nullable(),
  groups: z
    .array(streamGroup)
    .nullable()
    .optional()
    .meta({ description: 'Of a stream, at most 50; null where the Redis user may not ask for them.' }),
  vectorSet: z
    .object({
      facts: z.array(z.object({ name: z.string(), value: z.string() })).meta({ description: 'VINFO.' }),
      element: z
        .object({
          vector: z.array(z.number()),
          dimensions: z.number(),
          attributes: shownBytes.nullable().meta({ description: 'The JSON that is attached to it.' }),
        })
        .nullable()
        .meta({
          description: 'Of the element called `match`, at most 4096 numbers; null where there is none.',
        }),
    })
    .optional()
    .meta({
      description:
        'Of a vector set, where the server has them. Without `match`, `elements` has some at random.',
    }),
  related: z.array(relatedKey),
  drift: z.array(keyDrift),
});
export type KeyDetails = z.output<typeof keyDetails>;

/** The first value of a new key. */
export const keyValue = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('string'), value: bytesInput }),
  z.strictObject({
    type: z.literal('hash'),
    fields: z
      .array(z.strictObject({ field: bytesInput, value: bytesInput }))
      .min(1)
      .max(1000),
  }),
  z.strictObject({ type: z.literal('list'), values: z.array(bytesInput).min(1).max(1000) }),
  z.strictObject({ type: z.literal('set'), members: z.array(bytesInput).min(1).max(1000) }),
  z.strictObject({
    type: z.literal('zset'),
    members: z
      .array(z.strictObject({ member: bytesInput, score }))
      .min(1)
      .max(1000),
  }),
  z.strictObject({
    type: z.literal('stream'),
    fields: z
      .array(z.strictObject({ field: bytesInput, value: bytesInput }))
      .min(1)
      .max(100),
  }),
]);

/** A key's name: its family with parameters, or its bytes. */
const nameFields = {
  family: z.string().min(1).max(100).optional(),
  params: z.record(z.string().max(100), z.string().min(1).max(1000)).optional(),
  name: bytesInput.optional(),
};
const oneName = (input: { family?: unknown; name?: unknown; params?: unknown }): boolean =>
  (input.family === undefined) !== (input.name === undefined) &&
  (input.params === undefined || input.family !== undefined);
const ONE_NAME = { path: ['name'], message: 'Give either family with params, or name.' };

const etag = z.string().min(1).max(100);
const changed = changeResult({ keyId: z.string(), key: z.string(), etag: z.string().nullable() });
const base = '/api/v1/connections/{connection}/keys';

/** The result of an export: a text file of lines, each a JSON object, that `keys.import` reads. */
const exported = z.object({
  file: z.string(),
  keys: z.number(),
  bytes: z.number(),
  skipped: z.array(z.object({ key: z.string(), why: z.enum(['secret', 'missing', 'tooLarge']) })),
  auditId: z.string(),
});

const importRow = z.object({
  line: z.number(),
  key: z.string(),
  family: z.string().nullable(),
  type: z.string().nullable(),
  status: z.enum(['new', 'exists', 'replace', 'expired', 'refused', 'restored']),
  reason: z.string().nullable(),
});

// Counting groups is a scan, and editing a value does not change them.
const CHANGED = ['keys.get', 'keys.list', 'keys.groups'];
const ADDED = ['keys.list', 'keys.groups', 'families.list'];

export const keyContracts = {
  list: contract({
    id: 'keys.list',
    method: 'GET',
    path: base,
    permission: 'keys:view',
    summary: 'Keys by family, parameters, pattern, type, TTL and size, page by page as a scan finds them.',
    input: z.strictObject({ ...filterFields, ...pageInput }),
    result: keyPage,
  }),
  groups: contract({
    id: 'keys.groups',
    method: 'GET',
    path: `${base}/groups`,
    permission: 'keys:view',
    summary:
      'Branches of a family by its next parameter, or of unclassified keys by prefix, as a scan finds them.',
    input: z.strictObject({
      family: z.string().min(1).max(100).optional(),
      params: filterFields.params,
      prefix: z.string().max(1100).optional().meta({ description: 'Of unclassified keys; from `open`.' }),
      ...pageInputOf(200),
    }),
    result: z.object({
      param: z.string().nullable().meta({ description: 'The parameter grouped by; null for a prefix.' }),
      groups: z.array(keyGroup),
      keys: z.number(),
      examined: z.number(),
      total: z.number().nullable(),
      nextCursor: z.string().nullable(),
    }),
  }),
  get: contract({
    id: 'keys.get',
    method: 'GET',
    path: `${base}/{keyId}`,
    permission: 'keys:view',
    summary: 'One key with a page of its value, what the catalog says of it, drift and related keys.',
    input: z.strictObject({
      keyId: keyIdText,
      ...pageInputOf(100),
      match: z.string().min(1).max(500).optional().meta({ description: 'A glob over fields or members.' }),
      decode: queryBoolean.default(true),
    }),
    result: keyDetails,
  }),
  reveal: contract({
    id: 'keys.reveal',
    method: 'POST',
    path: `${base}/{keyId}/reveal`,
    touches: [],
    permission: 'env:reveal',
    summary: 'A page of a value, or one of its elements, with what only looks like a secret; audited.',
    input: changeInput({
      keyId: keyIdText,
      ...pageInputOf(100),
      match: z.string().min(1).max(500).optional(),
      element: elementId.optional(),
    }),
    result: changeResult({ string: stringView.nullable(), elements: z.array(element) }),
  }),
  update: contract({
    id: 'keys.update',
    method: 'POST',
    path: `${base}/{keyId}/value`,
    touches: ['keys.get', 'keys.list'],
    permission: 'keys:write',
    summary: 'Changes a value or one of its elements by compare-and-set.',
    maxBodyBytes: UPLOAD_BODY_BYTES,
    input: changeInput({ keyId: keyIdText, etag, edit: keyEdit }),
    result: changed,
  }),
  setTtl: contract({
    id: 'keys.setTtl',
    method: 'POST',
    path: `${base}/{keyId}/ttl`,
    touches: CHANGED,
    permission: 'keys:write',
    summary: 'Sets or removes the TTL of a key.',
    input: changeInput({
      keyId: keyIdText,
      etag,
      ttlSeconds: ttl.nullable(),
      jitterSeconds: z.number().int().min(0).max(31_536_000).default(0),
    }),
    result: changed.extend({ ttlSeconds: z.number().nullable() }),
  }),
  delete: contract({
    id: 'keys.delete',
    method: 'POST',
    path: `${base}/{keyId}/delete`,
    touches: CHANGED,
    permission: 'keys:write',
    summary: 'Deletes a key; a copy is stored for undo first.',
    input: changeInput({ keyId: keyIdText, etag, withoutUndo: z.boolean().default(false) }),
    result: changeResult({ deleted: z.boolean() }),
  }),
  rename: contract({
    id: 'keys.rename',
    method: 'POST',
    path: `${base}/{keyId}/rename`,
    touches: CHANGED,
    permission: 'keys:write',
    summary: 'Renames a key; never overwrites one (409 `exists`).',
    input: changeInput({ keyId: keyIdText, etag, ...nameFields }).refine(oneName, ONE_NAME),
    result: changed,
  }),
  duplicate: contract({
    id: 'keys.duplicate',
    method: 'POST',
    path: `${base}/{keyId}/duplicate`,
    touches: CHANGED,
    permission: 'keys:write',
    summary: 'Copies a key with its TTL to a new name; never overwrites one (409 `exists`).',
    input: changeInput({ keyId: keyIdText, etag, ...nameFields }).refine(oneName, ONE_NAME),
    result: changed,
  }),
  create: contract({
    id: 'keys.create',
    method: 'POST',
    path: `${base}/create`,
    touches: ADDED,
    permission: 'keys:write',
    summary: 'Creates a key that does not exist (409 `exists`), by the form of its family or by name.',
    maxBodyBytes: LIST_BODY_BYTES,
    status: 201,
    input: changeInput({ ...nameFields, value: keyValue, ttlSeconds: ttl.nullable() }).refine(
      oneName,
      ONE_NAME,
    ),
    result: changed,
  }),
  export: contract({
    id: 'keys.export',
    method: 'POST',
    path: `${base}/export`,
    touches: [],
    permission: 'keys:write',
    summary: 'Selected keys as a file of DUMPs. Keys of families with secrets are left out.',
    maxBodyBytes: LIST_BODY_BYTES,
    input: changeInput({ keyIds: z.array(keyIdText).min(1).max(1000) }),
    result: exported,
  }),
  import: contract({
    id: 'keys.import',
    method: 'POST',
    path: `${base}/import`,
    touches: ADDED,
    permission: 'keys:write',
    summary: 'Restores keys of an exported file. Existing keys are kept unless `replace`.',
    maxBodyBytes: UPLOAD_BODY_BYTES,
    input: changeInput({
      file: z.string().max(16 * 2 ** 20),
      replace: z.boolean().default(false),
      dryRun: z.boolean().default(false),
    }),
    result: z.object({
      rows: z.array(importRow),
      restored: z.number(),
      auditId: z.string().nullable(),
      undoUntil: isoTime.nullish(),
    }),
  }),
};
