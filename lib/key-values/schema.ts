import { z } from 'zod';
import { isoTime } from '@/lib/contract';

/** Types that can be created and edited. */
export const EDITABLE_TYPES = ['string', 'hash', 'list', 'set', 'zset', 'stream'] as const;
export type EditableType = (typeof EDITABLE_TYPES)[number];

/** base64url of the key, or an id of this console for a key that contains a secret or is very long. */
export const keyIdText = z
  .string()
  .regex(/^(?:[sh]\.)?[A-Za-z0-9_-]{1,12000}$/, 'This is not a key id.')
  .meta({ description: 'From a list of keys. Of a key that contains a secret it does not reveal the key.' });

/** Bytes in either form: text is UTF-8. */
export const bytesInput = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ base64: z.base64() }),
]);
export type BytesInput = z.output<typeof bytesInput>;

/** A byte sequence as shown. Both `text` and `base64` are null when it is masked. */
export const shownBytes = z.object({
  text: z.string().nullable().meta({ description: 'null when it is not UTF-8, or masked.' }),
  base64: z.string().nullable().meta({ description: 'The bytes, when they are not UTF-8 and not masked.' }),
  bytes: z.number().meta({ description: 'Length of the complete value.' }),
  truncated: z.boolean(),
  masked: z.boolean(),
  decoded: z
    .object({ steps: z.array(z.string()), text: z.string(), truncated: z.boolean() })
    .nullable()
    .meta({ description: 'Decompressed or decoded form, with the steps in order: gzip, msgpack.' }),
});
export type ShownBytes = z.output<typeof shownBytes>;

export const element = z.object({
  id: z.string().meta({ description: 'Unique within the key; reveals nothing of a masked element.' }),
  index: z.number().optional().meta({ description: 'Of a list, from 0.' }),
  field: shownBytes.optional(),
  member: shownBytes.optional(),
  value: shownBytes.optional(),
  score: z.string().optional().meta({ description: 'As Redis writes it.' }),
  entryId: z.string().optional().meta({ description: 'Of a stream.' }),
  fields: z.array(z.object({ field: shownBytes, value: shownBytes })).optional(),
  ttlSeconds: z
    .number()
    .nullable()
    .optional()
    .meta({ description: 'Of a hash field, where the server has it.' }),
  link: z
    .object({ keyId: z.string(), key: z.string(), exists: z.boolean() })
    .optional()
    .meta({ description: 'The key that this member names, by the catalog.' }),
});
export type KeyElement = z.output<typeof element>;

export const stringView = z.object({
  kind: z.enum(['text', 'json', 'jwt', 'number', 'image', 'binary', 'bitmap', 'hyperloglog']),
  offset: z.number(),
  page: shownBytes,
  /** For an image of at most 2 MB. */
  dataUrl: z.string().nullable(),
  jwt: z.object({ header: z.string(), claims: z.string(), expiresAt: isoTime.nullable() }).nullable(),
  cardinality: z.number().nullable().meta({ description: 'Of a HyperLogLog.' }),
  bitsSet: z.number().nullable().meta({ description: 'Of a bitmap of at most 1 MiB.' }),
});

export type StringView = z.output<typeof stringView>;

export const streamGroup = z.object({
  name: shownBytes,
  pending: z.number().meta({ description: 'Entries that were delivered and not acknowledged.' }),
  lag: z
    .number()
    .nullable()
    .meta({ description: 'Entries that were not delivered yet; null where the server does not know.' }),
  lastDeliveredId: z.string(),
  consumerCount: z.number(),
  consumers: z
    .array(z.object({ name: shownBytes, pending: z.number(), idleSeconds: z.number() }))
    .meta({ description: 'At most 50: first those with pending entries, the longest idle first.' }),
});
export type StreamGroup = z.output<typeof streamGroup>;

/** A key that the catalog relates to another one. */
export const relatedKey = z.object({
  family: z.string(),
  title: z.string(),
  key: z.string(),
  keyId: z.string(),
  exists: z.boolean().nullable(),
});
export type RelatedKey = z.output<typeof relatedKey>;

export const ttl = z.number().int().min(1).max(3_153_600_000);
export const elementId = z.string().max(100).meta({ description: 'The `id` of the element as it was read.' });
export const score = z.string().regex(/^[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf)$/i, 'This is not a number.');

/** One edit of a value. Elements are named by the id they were read with: one that changed since is 412. */
export const keyEdit = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('setString'), value: bytesInput }),
  z.strictObject({
    op: z.literal('setBit'),
    offset: z
      .number()
      .int()
      .min(0)
      .max(2 ** 32 - 1),
    bit: z.literal([0, 1]),
  }),
  z.strictObject({ op: z.literal('addField'), field: bytesInput, value: bytesInput }),
  z.strictObject({ op: z.literal('setField'), element: elementId, field: bytesInput, value: bytesInput }),
  z.strictObject({ op: z.literal('renameField'), element: elementId, field: bytesInput, to: bytesInput }),
  z.strictObject({ op: z.literal('removeField'), element: elementId, field: bytesInput }),
  z.strictObject({
    op: z.literal('setFieldTtl'),
    element: elementId,
    field: bytesInput,
    ttlSeconds: ttl.nullable().meta({ description: 'null removes it. Redis ≥ 7.4, Valkey ≥ 9.' }),
  }),
  z.strictObject({
    op: z.literal('setAt'),
    element: elementId,
    index: z.number().int().min(0),
    value: bytesInput,
  }),
  z.strictObject({ op: z.literal('removeAt'), element: elementId, index: z.number().int().min(0) }),
  z.strictObject({ op: z.literal('push'), end: z.enum(['head', 'tail']), value: bytesInput }),
  z.strictObject({ op: z.literal('addMember'), member: bytesInput, score: score.optional() }),
  z.strictObject({ op: z.literal('renameMember'), element: elementId, member: bytesInput, to: bytesInput }),
  z.strictObject({ op: z.literal('setScore'), element: elementId, member: bytesInput, score }),
  z.strictObject({ op: z.literal('removeMember'), element: elementId, member: bytesInput }),
  z.strictObject({
    op: z.literal('addEntry'),
    fields: z
      .array(z.strictObject({ field: bytesInput, value: bytesInput }))
      .min(1)
      .max(100),
  }),
  z.strictObject({
    op: z.literal('removeEntry'),
    element: elementId,
    entryId: z.string().regex(/^\d{1,20}-\d{1,20}$/),
  }),
]);
export type KeyEdit = z.output<typeof keyEdit>;

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
