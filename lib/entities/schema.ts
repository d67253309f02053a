import { z } from 'zod';
import {
  changeInput,
  contract,
  isoTime,
  jobAccepted,
  pageInput,
  pageOf,
  shortListInput,
} from '@/lib/contract';
import { PERMISSIONS } from '@/lib/permissions';

/** Longer ids do not fit into a URL; their keys can be opened in the key inspector. */
export const MAX_ID_LENGTH = 1000;

export const kindText = z
  .string()
  .min(1)
  .max(120)
  .meta({ description: 'A kind, or `{app}.{kind}` where several applications have that kind.' });
export const idText = z.string().min(1).max(MAX_ID_LENGTH);

const kind = z.string().nullable().meta({ description: 'null for words, which name no entity.' });

/** An element of a relation, or a result of a search. */
export const entityRef = z.object({
  kind,
  app: z.string().nullable(),
  id: z.string().meta({ description: 'As stored; for display only unless `linkable`.' }),
  title: z.string().nullable(),
  exists: z.boolean().nullable().meta({ description: 'null for words, and where it cannot be read.' }),
  score: z.string().nullable().meta({ description: 'Of a sorted set, as Redis writes it.' }),
  linkable: z.boolean().meta({ description: 'Whether it can be an id of its kind.' }),
  self: z.boolean().meta({ description: 'The entity itself.' }),
});
export type EntityRef = z.output<typeof entityRef>;

const relationView = z.object({
  relation: z.string().meta({ description: 'Pass it to `entities.relation`.' }),
  title: z.string(),
  family: z.string().nullable().meta({ description: 'null for a field or a part of the id.' }),
  keyId: z.string().nullable(),
  key: z.string().nullable(),
  kind,
  app: z.string().nullable(),
  type: z.string().nullable().meta({ description: 'As stored; null where the key does not exist.' }),
  count: z.number().nullable().meta({
    description: 'null where it is not counted yet (found by scanning), or cannot be.',
  }),
  counted: z.number().nullable().meta({ description: 'By the field of the record that counts it.' }),
  scanned: z.boolean().meta({ description: 'Found by scanning the keyspace.' }),
  problem: z
    .enum(['wrongType', 'unreadable', 'partial'])
    .nullable()
    .meta({ description: '`partial`: fewer elements than the record counts.' }),
  first: z.array(entityRef),
  nextCursor: z.string().nullable(),
});
export type RelationView = z.output<typeof relationView>;

const danglingRef = z.object({
  relation: z.string(),
  family: z.string().nullable().meta({ description: 'Of the key that has the member.' }),
  key: z.string(),
  keyId: z.string().nullable(),
  member: z.string(),
  why: z.enum(['missing', 'notAnId']),
});
export type DanglingRef = z.output<typeof danglingRef>;

const oneSidedRef = z.object({
  relation: z.string(),
  kind: z.string(),
  app: z.string(),
  id: z.string(),
  title: z.string().nullable(),
  lacks: z.string().meta({ description: 'The relation of the other entity that lacks this one.' }),
  stored: z.boolean().meta({
    description: 'false where the other side is not stored at all: the application may load it again.',
  }),
});
export type OneSidedRef = z.output<typeof oneSidedRef>;

const entityKey = z.object({
  family: z.string(),
  title: z.string(),
  key: z.string(),
  keyId: z.string(),
  exists: z.boolean(),
  type: z.string().nullable(),
  ttlSeconds: z.number().nullable(),
});

const field = z.object({
  name: z.string(),
  value: z.string().nullable().meta({ description: 'null when it is masked.' }),
  masked: z.boolean(),
  truncated: z.boolean(),
  time: isoTime.nullable().meta({ description: 'Where the value is a time.' }),
  ref: entityRef.nullable().meta({ description: 'Where the field names another entity.' }),
});

const entityView = z.object({
  kind: z.string(),
  app: z.string(),
  id: z.string(),
  title: z.string().nullable(),
  exists: z.boolean().meta({ description: 'Its record is stored; without a record, any of its keys.' }),
  record: z.record(z.string(), z.string()).meta({ description: 'Masked; long values are cut.' }),
  fields: z.array(field).meta({ description: 'The record in its order.' }),
  moreFields: z.boolean(),
  recordKey: z.object({ family: z.string(), key: z.string(), keyId: z.string() }).nullable(),
  problems: z.array(
    z.object({
      what: z.enum(['idMissing', 'idDiffers', 'wrongType', 'unreadable']),
      detail: z.string().nullable(),
    }),
  ),
  relations: z.array(relationView),
  dangling: z.array(danglingRef),
  oneSided: z.array(oneSidedRef),
  checked: z.object({
    references: z.number(),
    complete: z.boolean().meta({ description: 'false where only the first references were checked.' }),
  }),
  keys: z.array(entityKey),
  online: z.boolean().nullable().meta({ description: 'null where the application has no presence.' }),
  conversation: z.boolean(),
  sessions: z.boolean().meta({ description: 'Its id is a user id of the sessions page.' }),
  invalidates: z.array(z.string()).meta({ description: 'Branches of its invalidation rule; empty: none.' }),
});
export type EntityView = z.output<typeof entityView>;

/** Null: nothing can be checked. */
const checkNeeds = z.array(z.enum(PERMISSIONS)).nullable();

const entityKindRow = z.object({
  kind: z.string(),
  app: z.string(),
  title: z.string(),
  ref: z.string().meta({ description: '`{app}.{kind}`, which is never ambiguous.' }),
  record: z.boolean(),
  conversation: z.boolean(),
  idHint: z.string().meta({ description: 'What an id looks like.' }),
  relations: z.array(z.object({ relation: z.string(), title: z.string(), families: z.array(z.string()) })),
  checkNeeds: checkNeeds.meta({
    description: 'Permissions that `entities.check` of the kind needs beside its own.',
  }),
  familyChecks: z
    .array(z.object({ family: z.string(), checkNeeds }))
    .meta({ description: 'The same of each family of its relations.' }),
});
export type EntityKindRow = z.output<typeof entityKindRow>;

const sample = z.object({
  problem: z.enum(['dangling', 'oneSided', 'partial', 'wrongType']),
  family: z.string(),
  key: z.string(),
  keyId: z.string(),
  member: z.string().nullable(),
  detail: z.string().nullable(),
  entity: z.object({ kind: z.string(), app: z.string(), id: z.string() }).nullable(),
});

/** Result of a job of `entities.check`. */
export const checkResult = z.object({
  checked: z.number().meta({ description: 'Keys.' }),
  references: z.number(),
  dangling: z.number(),
  oneSided: z.number(),
  oneSidedNotStored: z.number().meta({
    description: 'Of those, where the other side is not stored at all.',
  }),
  partial: z.number().meta({ description: 'Keys with fewer elements than their record counts.' }),
  wrongType: z.number(),
  unreadable: z.number().optional().meta({
    description: 'Keys that may not be read, or are too long. The check is not complete then.',
  }),
  families: z.array(
    z.object({
      family: z.string(),
      checked: z.number(),
      references: z.number(),
      dangling: z.number(),
      oneSided: z.number(),
      partial: z.number(),
      wrongType: z.number(),
    }),
  ),
  complete: z.boolean(),
  samples: z.array(sample),
});
export type CheckResult = z.output<typeof checkResult>;

const base = '/api/v1/connections/{connection}/entities';
const named = { kind: kindText, id: idText };

export const entityContracts = {
  kinds: contract({
    id: 'entities.kinds',
    method: 'GET',
    path: `${base}/kinds`,
    permission: 'keys:view',
    summary: 'What the applications of this connection know: users, videos, chats.',
    input: z.strictObject(shortListInput),
    result: pageOf(entityKindRow),
  }),
  search: contract({
    id: 'entities.search',
    method: 'GET',
    path: `${base}/search`,
    permission: 'keys:view',
    summary:
      'Entities of a kind by id, slug or name, page by page as a scan finds them. Without `q`, all of them.',
    input: z.strictObject({ kind: kindText, q: z.string().max(MAX_ID_LENGTH).optional(), ...pageInput }),
    result: pageOf(entityRef).extend({
      examined: z.number(),
      total: z
        .number()
        .nullable()
        .meta({ description: 'Keys in the database, for the progress of the scan.' }),
    }),
  }),
  get: contract({
    id: 'entities.get',
    method: 'GET',
    path: `${base}/entity`,
    permission: 'keys:view',
    summary:
      'One entity: its record, what belongs to it as counts and first pages, and what is damaged about it.',
    input: z.strictObject(named),
    result: entityView,
  }),
  relation: contract({
    id: 'entities.relation',
    method: 'GET',
    path: `${base}/relation`,
    permission: 'keys:view',
    summary: 'One relation of an entity, page by page.',
    input: z.strictObject({ ...named, relation: z.string().min(1).max(100), ...pageInput }),
    result: pageOf(entityRef).extend({ relation: z.string(), count: z.number().nullable() }),
  }),
  check: contract({
    id: 'entities.check',
    method: 'POST',
    path: `${base}/check`,
    touches: ['jobs.list'],
    permission: 'analysis:run',
    summary:
      'Finds dangling references, one-sided relations and partial sets of a family or a kind, as a job that changes nothing.',
    input: changeInput({ family: z.string().min(1).max(100).optional(), kind: kindText.optional() }),
    result: jobAccepted,
    status: 202,
  }),
};
