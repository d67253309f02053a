import 'server-only';
import { Problem } from '@/lib/errors';

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export const json = (body: unknown, status: number, requestId: string): Response =>
  Response.json(body, { status, headers: { ...HEADERS, 'x-request-id': requestId } });

/**
 * What broke, for the log: the error's kind and where, never its message. Messages of client libraries repeat
 * arguments, which may be keys and values.
 */
const logBroken = (error: unknown, requestId: string): void => {
  const e = error instanceof Error ? error : new Error('not an error');
  const frames = (e.stack ?? '')
    .split('\n')
    .filter((line) => line.trim().startsWith('at '))
    .slice(0, 4);
  console.error(`request ${requestId} broke: ${e.name}\n${frames.join('\n')}`);
};

/** Every failure as a problem document. What is no `Problem` is a 500 that says nothing of the inside. */
export const problemResponse = (error: unknown, requestId: string): Response => {
  const problem =
    error instanceof Problem
      ? error
      : new Problem(
          'internal',
          'Something broke on our side. Nothing more is known to you than this request id.',
        );
  if (!(error instanceof Problem)) logBroken(error, requestId);
  const headers: Record<string, string> = {
    ...HEADERS,
    'content-type': 'application/problem+json',
    'x-request-id': requestId,
  };
  if (problem.code === 'unauthenticated') headers['www-authenticate'] = 'Bearer';
  const retryAfter = problem.extensions.retryAfterSeconds ?? (problem.status === 503 ? 2 : undefined);
  if (typeof retryAfter === 'number') headers['retry-after'] = String(Math.ceil(retryAfter));
  return new Response(JSON.stringify(problem.toDocument(requestId)), { status: problem.status, headers });
};
