import 'server-only';
import { authenticate, bearerToken } from '@/lib/access/authenticate';
import { headerUser } from '@/lib/access/header-sign-in';
import { isOwnOrigin } from '@/lib/access/origin';
import type { Actor } from '@/lib/actor';
import { anonymous } from '@/lib/actor';
import { recordRefusal } from '@/lib/audit/record';
import { findConnection } from '@/lib/command/context';
import { type Contract, isConnectionPath } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { allows } from '@/lib/permissions';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { describeSpan } from '@/lib/trace';
import { openRequest } from './concurrency';

/** The actor of a request, by cookie or Bearer token. Throws 401 without valid credentials, except for public operations. */
export const identify = async (contract: Contract, request: Request): Promise<Actor> => {
  if (contract.permission === 'public') return anonymous();
  const actor = await authenticate(request);
  if (actor) {
    openRequest(request, actor);
    describeSpan({ 'user.roles': actor.role && [actor.role] });
    return actor;
  }
  throw new Problem('unauthenticated', 'Sign in, or send an API token as Bearer.');
};

/**
 * Requests by cookie, or by a proxy's header, that change something must come from the console's own pages: a browser
 * sends both for any page. Bearer is exempt.
 */
export const checkOrigin = (contract: Contract, { headers }: Request): void => {
  const byBrowser = headers.has('cookie') || headerUser(headers) !== null;
  if (contract.method === 'GET' || bearerToken(headers) !== null || !byBrowser) return;
  if (!isOwnOrigin(headers))
    throw new Problem(
      'wrong_origin',
      "Changes by cookie or by a proxy's header are accepted from the console's own pages only.",
    );
};

/** Throws 403 when the role lacks the permission, and records the refusal in the audit log. */
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
  throw new Problem('forbidden', `This requires the permission ${contract.permission}.`);
};

/** Streams and downloads are checked this often, so they end within two seconds of a sign-out or revocation. */
export const REAUTHORISE_MS = 1500;
export const PERMISSION_ENDED = 'The sign-in or the permission for this ended.';

/** False also when the role changed: a stream's content was chosen for the role it was opened with. */
export const stillAllowed = async (contract: Contract, request: Request, opened: Actor): Promise<boolean> => {
  const actor = await authenticate(request).catch(() => undefined);
  // While the store is unreachable, streams continue: their credentials were valid when they were opened.
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
  if (!handle) throw new Problem('not_found', 'No connection has this id.');
  return handle;
};
