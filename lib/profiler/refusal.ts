import 'server-only';
import { Problem } from '@/lib/errors';
import { describeFailure, failureOf, isNotPermitted, isRefusal } from '@/lib/redis/failure';

/** The error that users read. The server's own text would contain our user name. */
export const toProblem = (connection: string, error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  if (isNotPermitted(error))
    return new Problem('not_permitted', `The server does not permit a profile: ${describeFailure(error)}.`);
  if (isRefusal(error))
    return new Problem('conflict', `The server refuses a profile: ${error.message.slice(0, 200)}`);
  return failureOf(connection, error);
};

export const UNDER_WAY = 'A profile of this server is under way already.';
