import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import { type Read, readOne, type StoredRule } from './stored-rule';

export const connectionOf = (ctx: ReadContext): string => ctx.connection.config.id;

/** Throws 404 where there is none. */
export const openRule = async (ctx: ReadContext, id: string): Promise<Read<StoredRule>> => {
  const found = await readOne(ctx.store, 'rules', connectionOf(ctx), id);
  if (!found) throw notFound('This alert rule');
  return found;
};

/** What the audit log calls a rule. */
export const nameOf = async ({ id }: { id: string }, ctx: ReadContext): Promise<string> =>
  (await readOne(ctx.store, 'rules', connectionOf(ctx), id))?.value.name ?? 'an alert rule';
