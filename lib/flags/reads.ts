import 'server-only';
import { findEntry, listEntries } from '@/lib/audit/reads';
import type { AuditEntry } from '@/lib/audit/schema';
import { displayKey } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { DAY, isoOrNull } from '@/lib/time';
import { isSecretName, looksSecret } from '@/lib/values/secret';
import { readValues, type StoredValue, textOf } from '@/lib/values/string-value';
import { readBoolean } from '@/lib/values/style';
import { flagNames, type NamedFlag } from './names';
import { type FlagNote, readNotes } from './notes';
import type { Flag, flagContracts } from './schema';

const SHOWN_BYTES = 256;
const STALE_AFTER = 30 * DAY;

/** What a flag's stored value says, as far as it may be shown to people who may not see variables. */
export const stateOf = (
  name: string,
  value: StoredValue,
): { enabled: boolean | null; raw: string | null } => {
  const text = value.type === 'string' && value.length <= SHOWN_BYTES ? textOf(value.bytes) : null;
  if (text === null) return { enabled: null, raw: null };
  const enabled = readBoolean(text);
  // A boolean is no secret whatever its name says: FEATURE_TOKEN_LOGIN is a flag like any other.
  const secret = enabled === null && (isSecretName(name) || looksSecret(text));
  return { enabled, raw: secret ? null : text };
};

const toFlag = (ctx: ReadContext, { name, key }: NamedFlag, value: StoredValue, note: FlagNote): Flag => {
  const known = note.etag === value.etag && note.at !== undefined;
  return {
    name,
    key: displayKey(key, ctx.catalog),
    ...stateOf(name, value),
    type: value.type,
    description: note.description ?? null,
    etag: value.etag,
    ttlSeconds: value.ttlSeconds,
    updatedAt: known ? isoOrNull(note.at) : null,
    updatedBy: known ? (note.by ?? null) : null,
    reason: known ? (note.reason ?? null) : null,
    stale: known && ctx.now() - note.at! >= STALE_AFTER,
    schedule: [],
  };
};

/** All flags by name, their values read now. A flag deleted since the names were read is left out. */
export const listFlags = async (ctx: ReadContext): Promise<Result<typeof flagContracts.list>> => {
  const names = await flagNames(ctx);
  const [values, notes] = await Promise.all([
    readValues(
      ctx.reader,
      names.map(({ key }) => key),
    ),
    readNotes(
      ctx,
      names.map(({ name }) => name),
    ),
  ]);
  const items = names.flatMap((named, index) => {
    const value = values[index];
    return value ? [toFlag(ctx, named, value, notes[index] ?? {})] : [];
  });
  return { items, nextCursor: null };
};

const rawOf = (state: unknown): string | null => {
  const raw = typeof state === 'object' && state !== null && 'raw' in state ? state.raw : null;
  return typeof raw === 'string' ? raw : null;
};

type Change = Result<typeof flagContracts.history>['items'][number];

const toChange = (entry: AuditEntry): Change => ({
  auditId: entry.id,
  at: entry.at,
  actor: entry.actor,
  from: rawOf(entry.before),
  to: rawOf(entry.after),
  reason: entry.reason,
  outcome: entry.outcome,
});

/** A change and, where it was taken back, the change that did: the same two values the other way round. */
const withUndoing = async (ctx: ReadContext, entry: AuditEntry): Promise<Change[]> => {
  const change = toChange(entry);
  const undoing = entry.undoneBy ? await findEntry(ctx.store, entry.undoneBy) : null;
  return undoing ? [change, { ...toChange(undoing), from: change.to, to: change.from }] : [change];
};

const HISTORY = 200;
/** Pages of the audit log looked through: a flag that changed long ago in a busy log is still found. */
const MOST_PAGES = 20;

/** A flag's changes and their undoings, newest first, from the audit log: whoever sees a flag sees these. */
export const flagHistory = async (
  ctx: ReadContext,
  { name }: { name: string },
): Promise<Result<typeof flagContracts.history>> => {
  const entries: AuditEntry[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && entries.length < HISTORY; page++) {
    const found = await listEntries(ctx.store, {
      actions: ['flags.set'],
      connection: ctx.connection.config.id,
      exactTarget: name,
      limit: HISTORY - entries.length,
      cursor,
    });
    // A refused attempt changed nothing; a pending one may have.
    entries.push(...found.items.filter((entry) => entry.outcome !== 'failed'));
    cursor = found.nextCursor ?? undefined;
    if (cursor === undefined) break;
  }
  const changes = await Promise.all(entries.map((entry) => withUndoing(ctx, entry)));
  const items = changes.flat().sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  return { items, nextCursor: cursor ?? null };
};
