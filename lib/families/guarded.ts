import 'server-only';
import type { ConsoleContext, ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { isSensitive } from '@/lib/keyspace/guarded';
import { may } from '@/lib/permissions';
import { includedIn, type Target } from './target';

/** The permission to invalidate sessions, tokens, variables, locks and unknown keys. */
export const SENSITIVE = 'caches:invalidate-sensitive';

/** Whether the target names guarded keys. Decided without Redis, so keys found by a search are not included. */
export const namesSensitive = (
  { catalog }: Pick<ReadContext, 'catalog'>,
  { family, branches }: Target,
): boolean =>
  (family?.guarded ?? false) ||
  branches.some(({ keys }) => keys.some((key) => isSensitive(catalog.locate(key))));

/** Whether a search may find keys of any family, including guarded ones. */
export const mayFindAnyFamily = (target: Target): boolean =>
  target.family === null && includedIn(target).some(({ search }) => search !== null);

export const mayTouchSensitive = ({ actor }: Pick<ConsoleContext, 'actor'>): boolean =>
  actor.role !== null && may(actor.role, SENSITIVE);

/** Whether a job of this actor may change guarded keys. */
export const mayChangeSensitive = (ctx: ReadContext, target: Target): boolean =>
  mayTouchSensitive(ctx) && (mayFindAnyFamily(target) || namesSensitive(ctx, target));

export const refuseSensitive = (what: string): Problem =>
  new Problem('forbidden', `This ${what} sessions, tokens, variables or locks: it needs ${SENSITIVE}.`);
