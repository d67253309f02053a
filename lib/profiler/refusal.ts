import 'server-only';
import { Problem } from '@/lib/errors';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { describeFailure, failureOf, isNotPermitted, isRefusal } from '@/lib/redis/failure';
import { mayMonitor, type Permitted, UNKNOWN } from '@/lib/redis/keyspace-events';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { withDedicated } from '@/lib/redis/topology';
import { MINUTE } from '@/lib/time';

/** A refusal is written to the server's ACL LOG: pages that stay open do not ask again and again. */
const answers = sharedAnswer<Permitted>('may monitor', 5 * MINUTE);

/** On a client of its own: commands that others send on a shared one would end up inside the transaction. */
const ask = ({ topology }: ConnectionHandle): Promise<Permitted> =>
  withDedicated(topology.primaries()[0]!.dedicated('ask'), mayMonitor);

/** Whether the server lets our user read MONITOR. Sends none. */
export const askMonitor = (handle: ConnectionHandle): Promise<Permitted> => ask(handle).catch(() => UNKNOWN);

/** As it was some minutes ago at most. */
export const knownMonitor = (handle: ConnectionHandle): Promise<Permitted> =>
  answers.of(handle, () => ask(handle)).catch(() => UNKNOWN);

export const notPermitted = (): Problem =>
  new Problem('not_permitted', 'The server does not permit a profile: our user may not run MONITOR.');

/** The error as users read it. The server's own text would name our user. */
export const toProblem = (connection: string, error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  if (isNotPermitted(error))
    return new Problem('not_permitted', `The server does not permit a profile: ${describeFailure(error)}.`);
  if (isRefusal(error))
    return new Problem('conflict', `The server refuses a profile: ${error.message.slice(0, 200)}`);
  return failureOf(connection, error);
};

export const UNDER_WAY = 'A profile of this server is under way already.';
