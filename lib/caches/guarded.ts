import 'server-only';
import { CONSOLE_PREFIX } from '@/lib/catalog/apps/console-own';
import { bytesEqualAt } from '@/lib/catalog/bytes';
import type { Located } from '@/lib/catalog/classify';
import type { Registry } from '@/lib/catalog/registry';
import type { ConsoleContext, ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { may } from '@/lib/permissions';
import type { Key } from '@/lib/redis/commands';
import { includedIn, type Target } from './target';

/** The app of the console's own families. */
export const OWN_APP = 'console';
export const OWN_PREFIX = Buffer.from(CONSOLE_PREFIX);

export const hasOwnPrefix = (key: Key): boolean =>
  key.length >= OWN_PREFIX.length && bytesEqualAt(key, 0, OWN_PREFIX);

/** The console's own keys, and keys with its prefix. */
export const isOwn = (catalog: Registry, key: Key): boolean =>
  hasOwnPrefix(key) || catalog.locate(key).family?.app === OWN_APP;

/** The permission to invalidate sessions, tokens, variables, locks and unknown keys. */
export const SENSITIVE = 'caches:invalidate-sensitive';

/** Whether a key is a session, token, variable or lock, or unknown and so perhaps no cache. */
export const isSensitive = ({ family, malformedOf }: Pick<Located, 'family' | 'malformedOf'>): boolean =>
  (family ?? malformedOf)?.guarded ?? (family ?? malformedOf) === null;

/** Whether the target names guarded keys. Decided without Redis, so keys found by a search are not included. */
export const namesSensitive = (
  { catalog }: Pick<ReadContext, 'catalog'>,
  { family, branches }: Target,
): boolean =>
  (family?.guarded ?? false) ||
  branches.some(({ keys }) => keys.some((key) => isSensitive(catalog.locate(key))));

/** Whether a search may find keys of any family, guarded ones too. */
export const mayFindAnyFamily = (target: Target): boolean =>
  target.family === null && includedIn(target).some(({ search }) => search !== null);

export const mayTouchSensitive = ({ actor }: Pick<ConsoleContext, 'actor'>): boolean =>
  actor.role !== null && may(actor.role, SENSITIVE);

/** Whether a job of this actor may change guarded keys. */
export const mayChangeSensitive = (ctx: ReadContext, target: Target): boolean =>
  mayTouchSensitive(ctx) && (mayFindAnyFamily(target) || namesSensitive(ctx, target));

export const refuseSensitive = (what: string): Problem =>
  new Problem('forbidden', `This ${what} sessions, tokens, variables or locks: it needs ${SENSITIVE}.`);
