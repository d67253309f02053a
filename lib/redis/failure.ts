import 'server-only';
import { Problem } from '@/lib/errors';

/**
 * Why a Redis does not answer, in words an administrator can act on. Never repeats the error's own text for
 * authentication failures: servers and clients echo credentials there.
 */
export const describeFailure = (error: unknown): string => {
  const e = error as { code?: string; message?: string; name?: string } | null;
  const message = e?.message ?? '';
  switch (e?.code) {
    case 'ECONNREFUSED':
      return 'nothing is listening at its address';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'its host name cannot be resolved';
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'its host cannot be reached';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'it closed the connection';
    case 'UNSUITABLE':
      return message;
    case 'ENOENT':
    case 'EACCES':
      return 'its socket cannot be opened';
  }
  if (/^(WRONGPASS|NOAUTH|ERR invalid password|ERR AUTH|ERR Client sent AUTH)/.test(message))
    return 'it refused the user name or password';
  if (/^ERR (DB index|invalid DB|SELECT)/.test(message)) return 'it has no such database';
  if (/^NOPERM/.test(message)) return 'its ACL does not allow this command to our user';
  if (/^LOADING/.test(message)) return 'it is still loading its data';
  if (/^READONLY/.test(message)) return 'it is a read-only replica';
  if (/^OOM/.test(message)) return 'it is out of memory';
  if (/^MISCONF/.test(message)) return 'it refuses writes because it cannot persist them';
  if (/^MASTERDOWN|^CLUSTERDOWN/.test(message)) return 'its primary is down';
  if (/^ERR max number of clients/.test(message)) return 'it has no connection left for us';
  if (/certificate|SSL|TLS|wrong version number|unable to verify/i.test(message))
    return 'the TLS handshake failed';
  if (/Command timed out|timeout/i.test(message)) return 'it did not answer in time';
  if (/Connection is closed|writeable|Socket closed|max retries/i.test(message))
    return 'the connection is closed';
  return 'it cannot be used at the moment';
};

const REFUSALS = /^(WRONGTYPE|ERR|NOSCRIPT|EXECABORT|BUSYKEY|BUSYGROUP|NOGROUP|UNKILLABLE|NOTBUSY|TSDB)\b/;

/** Whether the server answered and refused the command itself, as against being out of reach. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  REFUSALS.test(error.message) &&
  !/^ERR (invalid password|AUTH|max number)/.test(error.message);

/** A fault of this program, such as a reply that is not what was expected: the server is not to blame. */
const isOurs = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;

/** What to throw where a command failed: a refusal or a fault of ours as it is, anything else as 503. */
export const failureOf = (connection: string, error: unknown): Error =>
  isRefusal(error) || isOurs(error) ? (error as Error) : unavailable(connection, error);

export const isWrongType = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('WRONGTYPE');

/**
 * The error without the command it carries: ioredis keeps the arguments, which are passwords, keys and values,
 * and whoever prints a cause would print them.
 */
export const withoutArguments = (error: unknown): unknown => {
  const command = (error as { command?: { args?: unknown } } | null)?.command;
  if (command) command.args = [];
  return error;
};

/** 503 with the connection named (api.md). */
export const unavailable = (connection: string, error: unknown): Problem =>
  new Problem(
    'redis_unavailable',
    `The Redis of connection "${connection}" is unavailable: ${describeFailure(error)}.`,
    {
      extensions: { connection },
      cause: withoutArguments(error),
    },
  );

/** The command was on its way when the connection was lost or the server fell silent: it may have been carried out. */
const wasSent = (error: unknown): boolean => {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  return (
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    /Command timed out|Connection is closed|max retries per request/i.test(message)
  );
};

/** What to throw where a change failed: as `failureOf`, and where nobody can say whether it was made, that. */
export const changeFailureOf = (connection: string, error: unknown): Error => {
  const failure = failureOf(connection, error);
  if (!(failure instanceof Problem) || !wasSent(error)) return failure;
  return new Problem('redis_unavailable', `${failure.message} Whether the change was made is not known.`, {
    extensions: { connection, inDoubt: true },
    cause: withoutArguments(error),
  });
};

/** Whether a change that failed may have been made all the same. */
export const isInDoubt = (error: unknown): boolean =>
  error instanceof Problem && error.extensions.inDoubt === true;

export const storeUnavailable = (error: unknown): Problem =>
  new Problem('store_unavailable', `Keyward's own store is unavailable: ${describeFailure(error)}.`, {
    cause: withoutArguments(error),
  });

export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'store_unavailable';

/** For `catch`: what the store only explains is shown without it, as `fallback`. Any other failure is thrown. */
export const withoutStore =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (isStoreUnavailable(error)) return fallback;
    throw error;
  };
