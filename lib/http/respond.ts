import 'server-only';
import { Problem } from '@/lib/errors';
import { logBroken } from '@/lib/log';
import { namedRefusal } from '@/lib/redis/refusal';

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export const json = (body: unknown, status: number, requestId: string): Response =>
  Response.json(body, { status, headers: { ...HEADERS, 'x-request-id': requestId } });

/** Answers a failure with a problem document. Any error but a `Problem` becomes a 500 that reveals nothing internal. */
export const problemResponse = (thrown: unknown, requestId: string): Response => {
  const error = namedRefusal(thrown);
  const problem =
    error instanceof Problem
      ? error
      : new Problem('internal', 'An internal error occurred. The server log has this request id.');
  if (!(thrown instanceof Problem)) logBroken(`request ${requestId}`, thrown, { requestId });
  const headers: Record<string, string> = {
    ...HEADERS,
    'content-type': 'application/problem+json',
    'x-request-id': requestId,
  };
  if (problem.code === 'unauthenticated') headers['www-authenticate'] = 'Bearer';
  if (typeof problem.extensions.allow === 'string') headers.allow = problem.extensions.allow;
  const retryAfter = problem.extensions.retryAfterSeconds ?? (problem.status === 503 ? 2 : undefined);
  if (typeof retryAfter === 'number') headers['retry-after'] = String(Math.ceil(retryAfter));
  return new Response(JSON.stringify(problem.toDocument(requestId)), { status: problem.status, headers });
};
