import { z } from 'zod';
import { changeInput, changeResult, contract, isoTime, pageInput, pageOf } from '@/lib/contract';

export const MAX_NODES = 10_000;
/** A key above it, and more keys in one line, are not copied for undo. */
export const MAX_UNDO_KEYS = 20;
export const MAX_HISTORY = 200;

/**
 * What a reply is: a number, a text, nothing, or elements of a kind. `fields` have a name and a value, `scores` a member and
 * a score, `entries` fields below each id; `keys` are names of keys.
 */
export const REPLY_TYPES = [
  'nil',
  'integer',
  'status',
  'string',
  'list',
  'fields',
  'scores',
  'entries',
  'keys',
] as const;
export type ReplyType = (typeof REPLY_TYPES)[number];

const node = z.object({
  depth: z
    .number()
    .meta({ description: 'How deep in the reply: its parent is the last one above with less.' }),
  type: z.enum(['nil', 'integer', 'status', 'string', 'array']),
  text: z.string().nullable().meta({
    description:
      'As it is shown: `\\xNN` for bytes that are no text; null for nil, an array, and where all is masked.',
  }),
  name: z.string().optional().meta({ description: 'The field whose value this is.' }),
  score: z.string().optional(),
  length: z.number().optional().meta({ description: 'Elements of an array; bytes of a text that was cut.' }),
  masked: z.boolean().optional().meta({ description: 'All or a part of it is a secret.' }),
  keyId: z.string().optional().meta({ description: 'The key that this names.' }),
});
export type ReplyNode = z.output<typeof node>;

const lineKey = z.object({
  key: z.string(),
  keyId: z.string().nullable().meta({ description: 'null where its name contains a secret.' }),
  family: z.string().nullable(),
  type: z.string().nullable().meta({ description: '`none` does not exist; null is unknown.' }),
  ttlSeconds: z.number().nullable(),
});
export type LineKey = z.output<typeof lineKey>;

export const OUTCOMES = ['done', 'refused', 'failed', 'unknown'] as const;
export const UNDO_STATES = [
  'possible',
  'read',
  'tooManyKeys',
  'tooLarge',
  'declined',
  'incomparable',
] as const;

const base = '/api/v1/connections/{connection}/command-line';
const line = z.string().min(1).max(16_384);

const suggestion = z.object({
  kind: z.enum(['command', 'subcommand', 'option', 'family']),
  text: z.string().meta({ description: 'Replaces the line from `from` on.' }),
  label: z.string(),
  summary: z.string().nullable(),
  needs: z.string().nullable().meta({ description: 'The permission that it requires.' }),
  refused: z.boolean(),
  page: z.string().nullable(),
  reason: z.string().nullable(),
});
export type Suggestion = z.output<typeof suggestion>;

const commandDoc = z.object({
  name: z.string(),
  syntax: z.string(),
  /** What may follow where the line ends. */
  next: z.string().nullable(),
  summary: z.string().nullable(),
  since: z.string().nullable(),
  group: z.string().nullable(),
  complexity: z.string().nullable(),
  kind: z.enum(['read', 'write', 'refused']),
  allowed: z.boolean(),
  needs: z.string().nullable(),
  page: z.string().nullable(),
  reason: z.string().nullable(),
});
export type ShownDoc = z.output<typeof commandDoc>;

const historyEntry = z.object({
  id: z.string(),
  at: isoTime,
  line: z.string().meta({ description: 'Masked: no value is in it.' }),
  outcome: z.enum(OUTCOMES).meta({ description: '`unknown`: the reply of a write was lost.' }),
  auditId: z.string().nullable().meta({ description: 'Of a write; null for others.' }),
});
export type HistoryEntry = z.output<typeof historyEntry>;

export const commandLineContracts = {
  run: contract({
    id: 'commandLine.run',
    method: 'POST',
    path: `${base}/run`,
    touches: ['commandLine.history'],
    permission: 'keys:view',
    summary:
      'Runs one command. A write needs keys:write, and gets an audit entry and an undo. A refused command names the page that does the job.',
    input: changeInput({
      line: line.meta({ description: 'As in redis-cli: quotes, and `\\xNN` in double quotes.' }),
      dryRun: z.boolean().default(false).meta({ description: 'Says what would happen.' }),
      etag: z.string().min(1).max(100).optional().meta({
        description: 'Of a dry run: the line is refused with 412 if one of its keys changed since.',
      }),
      withoutUndo: z.boolean().default(false).meta({
        description: 'Runs a write whose keys are too many or too large to be copied for undo.',
      }),
    }),
    result: changeResult({
      dryRun: z.boolean(),
      kind: z.enum(['read', 'write']),
      line: z.string().meta({ description: 'Masked.' }),
      type: z.enum(REPLY_TYPES).nullable().meta({ description: 'null for a dry run.' }),
      reply: z.array(node).meta({ description: 'The reply from its beginning, depth first.' }),
      truncated: z.boolean(),
      family: z.string().nullable().meta({ description: 'Of the first key.' }),
      keys: z.array(lineKey).meta({
        description:
          'The first keys of the line: of a dry run as they are, of a write as they were read after it.',
      }),
      keyCount: z.number(),
      undo: z.enum(UNDO_STATES).meta({
        description:
          '`read`: nothing is changed. `incomparable`: it was run and has no undo, because a later change of what it left would not be noticed.',
      }),
      etag: z.string().nullable().meta({
        description:
          'Of a dry run of a write: the type and content of its keys. Of a key beyond 1 MiB or 1000 elements only type and length; never the TTL.',
      }),
      durationMs: z.number(),
    }).extend({ auditId: z.string().nullable().meta({ description: 'null for a read and a dry run.' }) }),
  }),
  complete: contract({
    id: 'commandLine.complete',
    method: 'POST',
    path: `${base}/complete`,
    permission: 'keys:view',
    summary: 'What may follow in a line, and the documentation of its command.',
    input: z.strictObject({ line: z.string().max(16_384) }),
    result: z.object({
      from: z.number().meta({ description: 'Where in the line a suggestion begins, in UTF-16 units.' }),
      suggestions: z.array(suggestion),
      command: commandDoc.nullable(),
    }),
  }),
  history: contract({
    id: 'commandLine.history',
    method: 'GET',
    path: `${base}/history`,
    permission: 'keys:view',
    summary: 'The caller’s own lines of 30 days, newest first, with values masked.',
    input: z.strictObject(pageInput),
    result: pageOf(historyEntry),
  }),
  clearHistory: contract({
    id: 'commandLine.clearHistory',
    method: 'POST',
    path: `${base}/clear-history`,
    touches: ['commandLine.history'],
    permission: 'keys:view',
    summary: 'Deletes the caller’s own history of lines, or one entry of it.',
    input: changeInput({ id: z.string().min(1).max(60).optional() }),
    result: changeResult({ deleted: z.number() }),
  }),
};
