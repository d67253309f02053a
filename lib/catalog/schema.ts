import { z } from 'zod';
import { changeInput, contract, isoTime, jobAccepted, LIST_BODY_BYTES, noInput } from '@/lib/contract';
import { FAMILY_ROLES } from '@/lib/keyspace/roles';

const count = z.number().nullable();

export const driftRow = z.object({
  family: z.string(),
  what: z.enum(['type', 'ttl', 'field']),
  documented: z.string().meta({ description: 'A type, a TTL policy in words, or the name of a field.' }),
  found: z.string().meta({
    description: 'A type; `no TTL`, `longer TTL` or `a TTL`; `missing`.',
  }),
  keys: z.number().meta({ description: 'Keys with what was found, out of the `of` keys checked.' }),
  of: z.number(),
});
export type DriftRow = z.output<typeof driftRow>;

const catalogFamily = z.object({
  id: z.string(),
  app: z.string(),
  title: z.string(),
  purpose: z.string(),
  pattern: z.string(),
  type: z.string(),
  otherTypes: z.array(z.string()),
  ttl: z.string().meta({ description: 'The TTL policy in words.' }),
  role: z.enum(FAMILY_ROLES).nullable(),
  parts: z
    .array(
      z.object({ name: z.string(), from: z.enum(['param', 'field', 'member', 'value']), of: z.string() }),
    )
    .meta({ description: 'How the facts of the role are read: `userId` from the `param` called `user_id`.' }),
  sensitive: z
    .object({ params: z.array(z.string()), fields: z.array(z.string()), value: z.boolean() })
    .meta({ description: 'What is masked: parameters in the key, fields, or the complete value.' }),
  identifyingFields: z.array(z.string()),
  related: z.array(z.string()),
  cache: z.boolean(),
  guarded: z.boolean(),
  keys: count.meta({ description: 'At the last count; null before the first.' }),
  source: z.string().nullable().meta({ description: "The catalog file's name; null: built in." }),
  shadowedBy: z.string().nullable().meta({
    description: 'The family that has its role here: its keys are classified, its page shows that one.',
  }),
});
export type CatalogFamily = z.output<typeof catalogFamily>;

const problem = z.object({
  line: z.number(),
  column: z.number(),
  path: z.string(),
  message: z.string(),
});

const source = z.object({
  file: z.string().nullable().meta({ description: 'The name of the file; null: built in.' }),
  app: z.string(),
  families: z.number(),
  loadedAt: isoTime.nullable().meta({ description: 'When the version in force was read.' }),
  inForce: z.boolean().meta({
    description: 'Whether its families are used. With problems too: then the last good version is.',
  }),
  problems: z.array(problem),
});
export type CatalogSource = z.output<typeof source>;

const unclassified = z.object({
  prefix: z.string().meta({ description: 'As displayed; empty for keys without a common beginning.' }),
  keys: z.number(),
  sample: z.array(z.string()),
});
export type UnclassifiedPrefix = z.output<typeof unclassified>;

const RELATION_SOURCES = ['members', 'field', 'parts', 'memberOf', 'keys'] as const;

const catalog = z.object({
  families: z.array(catalogFamily),
  entities: z.array(
    z.object({
      kind: z.string(),
      app: z.string(),
      title: z.string(),
      facts: z.array(z.string()),
      branches: z.array(z.object({ id: z.string(), title: z.string(), target: z.string() })),
      record: z.array(z.string()).meta({ description: 'The keys that may hold it, by their patterns.' }),
      relations: z.array(
        z.object({
          id: z.string(),
          title: z.string(),
          kind: z.string().nullable().meta({ description: 'null for words, which name no entity.' }),
          from: z.enum(RELATION_SOURCES),
          of: z.array(z.string()).meta({ description: 'Patterns of keys, a field, or parts of the id.' }),
        }),
      ),
      conversation: z.array(z.string()).meta({ description: 'The keys of its messages, by their patterns.' }),
    }),
  ),
  coverage: z.object({
    keys: count,
    classified: count,
    unclassified: count,
    malformed: count.meta({ description: "Begin like a family's keys, and do not match its parameters." }),
    countedAt: isoTime.nullable(),
    current: z.boolean().meta({
      description: 'Whether the keys were counted with the catalog in force; else a new count follows.',
    }),
  }),
  unclassified: z.array(unclassified).meta({ description: 'The largest prefixes, most keys first.' }),
  overlaps: z.array(z.object({ families: z.array(z.string()), example: z.string(), winner: z.string() })),
  drift: z.array(driftRow).meta({ description: 'Where stored keys contradict the catalog.' }),
  sources: z.array(source),
});
export type Catalog = z.output<typeof catalog>;

/** Enough for every prefix that the page lists. */
const MAX_PREFIXES = 100;

const proposal = z.object({
  id: z.string(),
  pattern: z.string(),
  type: z.string(),
  ttl: z.string(),
  keys: z.number(),
  examples: z.array(z.string()),
});

/** Result of a job of `catalog.infer`. */
export const inference = z.object({
  families: z.array(proposal),
  coverage: z.object({
    unclassified: z.number().meta({ description: 'Unclassified keys that were examined.' }),
    classified: z.number().meta({ description: 'Of those, keys that the proposed families match.' }),
    scanned: z.number(),
    complete: z.boolean().meta({ description: 'Whether all of them were examined, or a sample.' }),
  }),
  yaml: z.string().meta({ description: 'A catalog file, ready to be listed under `catalogs`.' }),
});
export type Inference = z.output<typeof inference>;

export const catalogContracts = {
  get: contract({
    id: 'catalog.get',
    method: 'GET',
    path: '/api/v1/connections/{connection}/catalog',
    permission: 'view',
    summary: 'The catalog in force: families, entities, sources, and how well it describes the keyspace.',
    input: noInput,
    result: catalog,
  }),
  infer: contract({
    id: 'catalog.infer',
    method: 'POST',
    path: '/api/v1/connections/{connection}/catalog/infer',
    touches: ['jobs.list'],
    permission: 'analysis:run',
    summary:
      'Proposes families for unclassified keys, as a job that changes nothing. Its result is `families`, `coverage` and a catalog file as `yaml`.',
    input: changeInput({
      prefixes: z
        .array(z.string().min(1).max(500))
        .min(1)
        .max(MAX_PREFIXES)
        .optional()
        .meta({ description: 'Only keys that begin with one of these; all unclassified keys by default.' }),
    }),
    result: jobAccepted,
    status: 202,
    maxBodyBytes: LIST_BODY_BYTES,
  }),
};
