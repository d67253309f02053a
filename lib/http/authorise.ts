import 'server-only';
import { authenticate, bearerToken } from '@/lib/access/authenticate';
import { isOwnOrigin } from '@/lib/access/origin';
import type { Actor } from '@/lib/actor';
import { anonymous } from '@/lib/actor';
import { recordRefusal } from '@/lib/audit/record';
import { findConnection } from '@/lib/command/context';
import { type Contract, isConnectionPath } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { allows } from '@/lib/permissions';
import type { ConnectionHandle } from '@/lib/redis/connections';

/** Who asks, by cookie or Bearer token. 401 without credentials that hold, for all but public operations. */
export const identify = async (contract: Contract, request: Request): Promise<Actor> => {
  if (contract.permission === 'public') return anonymous();
  const actor = await authenticate(request);
  if (actor) return actor;
  throw new Problem('unauthenticated', 'Sign in, or send an API token as Bearer.');
};

/** Cookie requests that change something must come from the console's own pages; Bearer is exempt. */
export const checkOrigin = (contract: Contract, { headers }: Request): void => {
  const byCookie = headers.has('cookie') && bearerToken(headers) === null;
  if (contract.method === 'GET' || !byCookie) return;
  if (!isOwnOrigin(headers))
    throw new Problem('wrong_origin', "Changes by cookie are accepted from the console's own pages only.");
};

/** The role must have the permission; a refusal is in the audit log. */
export const checkPermission = async (
  contract: Contract,
  actor: Actor,
  connection: string | null,
  requestId: string,
): Promise<void> => {
  if (allows(actor.role, contract.permission)) return;
  await recordRefusal({
    actor,
    action: contract.id,
    connection,
    requestId,
    detail: `refused: needs ${contract.permission}`,
  });
  throw new Problem('forbidden', `This needs the permission ${contract.permission}.`);
};

/** What goes on for longer ends within two seconds of a sign-out, a disabling or a revocation. */
export const REAUTHORISE_MS = 1500;
export const PERMISSION_ENDED = 'The permission for this ended.';

/** What a stream or a file shows was chosen for the role it was opened with: with another it begins again. */
export const stillAllowed = async (contract: Contract, request: Request, opened: Actor): Promise<boolean> => {
  const actor = await authenticate(request).catch(() => undefined);
  // The store being out of reach ends nobody's stream: the credentials held when it was opened.
  if (actor === undefined) return true;
  return actor?.role === opened.role && allows(opened.role, contract.permission);
};

/** The connection a path names; null for operations on the console itself. */
export const connectionOf = (
  contract: Contract,
  params: Record<string, string | undefined>,
): ConnectionHandle | null => {
  if (!isConnectionPath(contract.path)) return null;
  const handle = findConnection(params.connection ?? '');
  if (!handle) throw new Problem('not_found', 'There is no connection of this name.');
  return handle;
};
