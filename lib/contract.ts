import { z } from 'zod';
import type { Access } from './permissions';

/** The default limit of a body. */
export const MAX_BODY_BYTES = 64 * 1024;
/** For lists of names or ids, or one long value. */
export const LIST_BODY_BYTES = 2 ** 20;
/** For uploads and pasted text: files, long lists. */
export const UPLOAD_BODY_BYTES = 16 * 2 ** 20;

/**
 * A contract declares one operation once: the route validates by it, the browser client is typed by it and OpenAPI is
 * generated from it. `{connection}` in the path makes it an operation on one Redis.
 */
export interface Contract<
  I extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  P extends string = string,
> {
  /** The operationId; also the `action` of audit entries. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: P;
  permission: Access;
  summary: string;
  input: I;
  result: R;
  /** The status of success; 200 by default. */
  status?: 200 | 201 | 202;
  /** May answer 202 with a job (`jobAccepted`) instead. */
  mayQueue?: boolean;
  /** Server-sent events: `result` is the union of the events' data. */
  stream?: boolean;
  /** Answers with a file, part by part. */
  download?: true;
  /** The content type of a text answer: `result` is a string. By default downloads are CSV or JSON lines. */
  contentType?: string;
  /**
   * Scans the full keyspace while the caller waits: always, or where this field of the input is true. A user may have
   * four such requests at the same time.
   */
  walks?: true | 'dryRun' | 'complete';
  /** Maximum body size in bytes; `MAX_BODY_BYTES` by default. */
  maxBodyBytes?: number;
  /**
   * For a change: the operations, or prefixes of their ids, whose answers it changes. By default all of its own
   * domain. Pages refetch them.
   */
  touches?: readonly string[];
}

export const contract = <I extends z.ZodType, R extends z.ZodType, const P extends string>(
  declared: Contract<I, R, P>,
): Contract<I, R, P> => declared;

export type Input<C> = C extends Contract<infer I, z.ZodType> ? z.output<I> : never;
export type WireInput<C> = C extends Contract<infer I, z.ZodType> ? z.input<I> : never;
export type Result<C> = C extends Contract<z.ZodType, infer R> ? z.output<R> : never;

/** `A` for an operation on one Redis, `B` for one on the console's own data. */
export type ByScope<C extends Contract, A, B> =
  C extends Contract<z.ZodType, z.ZodType, `${string}{connection}${string}`> ? A : B;

export const isConnectionPath = (path: string): boolean => path.includes('{connection}');

/** The parameters of a path: `/jobs/{jobId}` → `['jobId']`; `connection` is not part of the input. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!).filter((name) => name !== 'connection');

/** Operations on the console's own data, whose answers do not depend on a connection. */
const OF_CONSOLE = /^(?:account|audit|connections|jobs|notifications|tokens\.api|users)\./;

/** Whether a change of `connection` affects what an operation answers about the connection `of`. */
export const touchedBy = (
  { id, touches = [id.split('.')[0]!] }: Pick<Contract, 'id' | 'touches'>,
  operation: unknown,
  of: unknown,
  connection: string | undefined,
): boolean =>
  typeof operation === 'string' &&
  touches.some((touched) => operation === touched || operation.startsWith(`${touched}.`)) &&
  (of === connection || OF_CONSOLE.test(operation));

export const noInput = z.strictObject({});

/** A boolean that may arrive in a query string. */
export const queryBoolean = z.union([z.boolean(), z.enum(['true', 'false']).transform((v) => v === 'true')], {
  error: 'Give true or false.',
});

/** A whole number that may arrive in a query string. */
export const queryInteger = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** The input of every list. A list that is always read completely returns all rows unless `limit` is given. */
export const pageInputOf = (defaultLimit: number) => ({
  cursor: z.string().max(2000).optional(),
  limit: queryInteger(1, 1000).default(defaultLimit),
});

export const pageInput = pageInputOf(50);
export const shortListInput = pageInputOf(1000);

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

export const isoTime = z.iso.datetime();

/** Beside a count. */
export const exactDigits = z.string().nullable().meta({
  description: 'The exact digits where the number is too large for JSON (from 2^53).',
});

/** Why a part of an answer is unknown. */
export const CAUSES = [
  'notPermitted',
  'noAnswer',
  'store',
  'notCounted',
  'notLfu',
  'notSampled',
  'onlySample',
] as const;

/** A part of an answer that may be unknown while the others are known (`readSection`). */
export const sectionOf = <const K extends readonly [string, ...string[]], S extends z.ZodRawShape>(
  findings: K,
  figures: S,
) =>
  z.object({
    state: z.enum(['ok', 'attention', 'unknown']),
    findings: z.array(z.enum(findings)).meta({ description: 'What needs attention.' }),
    cause: z
      .enum(CAUSES)
      .nullable()
      .meta({ description: 'Why it is unknown; with figures where only a part of them is.' }),
    reason: z.string().nullable().meta({ description: 'The server’s refusal in words.' }),
    missing: z.array(z.string()).meta({
      description:
        'Commands that the console’s user may not use or the server lacks: their figures are null.',
    }),
    figures: z.object(figures).nullable(),
  });

/** A primary that did not answer. */
export const missingNode = z.object({
  node: z.string().meta({ description: 'Its address.' }),
  slots: z.number().nullable().meta({ description: 'How many of the 16384; null outside a cluster.' }),
  reason: z.string(),
});
export const missingNodes = z
  .array(missingNode)
  .meta({ description: 'Primaries that gave no answer: their share is missing here.' });

/** The node of a row. */
export const nodeOfRow = z
  .string()
  .nullable()
  .meta({ description: 'The address of its primary; null where the connection has only one.' });

/** The common input of every change. */
export const changeFields = {
  reason: z.string().max(500).optional().meta({ description: 'Stored in the audit log.' }),
  confirm: z.string().max(200).optional().meta({
    description:
      "The connection's id. Required in production for changes that delete or affect more than one thing.",
  }),
};

/** The input of a change: unknown fields are refused by name. */
export const changeInput = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject({ ...shape, ...changeFields });

/** The common result of every change. */
export const changeResult = <S extends z.ZodRawShape>(shape: S) =>
  z.object({ ...shape, auditId: z.string(), undoUntil: isoTime.nullish() });

export const jobAccepted = z.object({ jobId: z.string(), auditId: z.string() });
