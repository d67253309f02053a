import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { notFound, Problem } from '@/lib/errors';
import { MAX_CHANNELS } from './channels/schema';
import { MAX_RULES } from './schema';
import { etagOf, type Read, readOne, replaceOne, type Value } from './stored-rule';

const KINDS = {
  rules: { what: 'alert rule', max: MAX_RULES },
  channels: { what: 'alert channel', max: MAX_CHANNELS },
} as const;
type Kind = keyof typeof KINDS;

export const connectionOf = (ctx: ReadContext): string => ctx.connection.config.id;

/** 412 with the present etag. */
const changed = (kind: Kind, present: object): Problem =>
  new Problem('changed', `This ${KINDS[kind].what} was changed since you read it. Nothing was changed now.`, {
    extensions: { etag: etagOf(present) },
  });

/** Throws 404 where there is none, and 412 where it has another etag than the one given. */
export const openOne = async <K extends Kind>(
  ctx: ReadContext,
  kind: K,
  id: string,
  etag?: string,
): Promise<Read<Value<K>>> => {
  const found = await readOne(ctx.store, kind, connectionOf(ctx), id);
  if (!found) throw notFound(`This ${KINDS[kind].what}`);
  const present = found.value as object;
  if (etag !== undefined && etagOf(present) !== etag) throw changed(kind, present);
  return found;
};

/** What the audit log calls one. */
export const nameOf =
  (kind: Kind) =>
  async ({ id }: { id: string }, ctx: ReadContext): Promise<string> =>
    (await readOne(ctx.store, kind, connectionOf(ctx), id))?.value.name ?? `an ${KINDS[kind].what}`;

/** Sets or deletes (`null`) one while it is as it was read (`null`: absent). */
export const replace = async <K extends Kind>(
  ctx: WriteContext,
  kind: K,
  id: string,
  before: string | null,
  after: Value<K> | null,
): Promise<void> => {
  const { what, max } = KINDS[kind];
  const result = await replaceOne(ctx.store, kind, connectionOf(ctx), id, { before, after, max });
  if (result === 'full')
    throw new Problem('conflict', `There are ${max} ${what}s already: delete some first.`);
  if (result === 'changed') throw changed(kind, (await openOne<Kind>(ctx, kind, id)).value);
};
