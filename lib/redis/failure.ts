import 'server-only';
import { fallbackFor, Problem, type ProblemCode } from '@/lib/errors';

/** Why Redis did not execute a command. Each is also the code of a 503 (docs/api.md). */
export type FailureCode = Extract<
  ProblemCode,
  'not_permitted' | 'full' | 'replica' | 'moved' | 'loading' | 'busy' | 'unreachable' | 'auth' | 'tls'
>;

interface Failure {
  code: FailureCode;
  /** For people, completes "Redis …: ". Never the error's own text: servers and clients echo credentials there. */
  text: string;
  /** The command that is not permitted, where it is known. */
  command?: string;
  /** The user may run the command, but not on this key. */
  ofKey?: true;
}

type Rule = readonly [pattern: RegExp, code: FailureCode, text: string];

const SOCKET: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening at its address',
  ENOTFOUND: 'its host name cannot be resolved',
  EAI_AGAIN: 'its host name cannot be resolved',
  ETIMEDOUT: 'its host cannot be reached',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  ENOENT: 'its socket does not exist',
  EACCES: 'we may not open its socket',
  CLOSED_EARLY: 'it closed the connection before it answered, as a port for TLS does',
};

const [UNTRUSTED, CLIENT_REFUSED, PLAIN] = [
  'its certificate is not signed by an authority that is trusted here',
  'it does not trust our client certificate',
  'it does not speak TLS on this port',
];

/** Codes of Node and OpenSSL for a failed handshake, and the codes of `handshake.ts`. */
const HANDSHAKE: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it requires a client certificate',
  CLIENT_CERTIFICATE: 'it ended the TLS handshake: it requires a client certificate that it trusts',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: CLIENT_REFUSED,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: CLIENT_REFUSED,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: CLIENT_REFUSED,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'our client certificate has expired',
  ERR_SSL_WRONG_VERSION_NUMBER: PLAIN,
  NO_TLS: PLAIN,
};

/** The server's own errors. The code is the first word, or follows a prefix that a script added. */
const SERVER: readonly Rule[] = [
  [
    /^(WRONGPASS|NOAUTH|ERR invalid password|ERR AUTH|ERR Client sent AUTH)/,
    'auth',
    'it refused the user name or password',
  ],
  [/^DENIED/, 'auth', 'it is in protected mode: without a password it serves only its own machine'],
  [/^ERR (DB index|invalid DB|SELECT)/, 'unreachable', 'it has no such database'],
  [/^ERR max number of clients/, 'busy', 'it has no connection left for us'],
  [/\bLOADING\b/, 'loading', 'it is still loading its data'],
  [/\bREADONLY\b/, 'replica', 'it is a read-only replica'],
  // WAIT answers this on a primary that is being demoted.
  [/\bUNBLOCKED\b/, 'replica', 'it has just become a replica'],
  [/\bMASTERDOWN\b/, 'replica', 'it is a replica that has lost its primary'],
  [/\bNOREPLICAS\b/, 'replica', 'it has too few replicas to accept changes'],
  [/\bOOM\b/, 'full', 'its memory limit is reached'],
  [
    /\bMISCONF Errors writing to the AOF/,
    'full',
    'it refuses changes because it cannot write to its append-only file',
  ],
  [/\bMISCONF\b/, 'full', 'it refuses changes because it cannot save to disk'],
  [/\bBUSY\b/, 'busy', 'it is busy running a script'],
  [
    /\b(MOVED|ASK|TRYAGAIN|CROSSSLOT)\b|non local key/,
    'moved',
    'the keys are on another node of its cluster',
  ],
  [/\bCLUSTERDOWN\b/, 'unreachable', 'its cluster is down, or has no primary for these keys at the moment'],
];

/** Errors of the client and of TLS, which have no code word. */
const CLIENT: readonly Rule[] = [
  [/certificate|\bSSL\b|\bTLS\b|wrong version number|unable to verify/i, 'tls', 'the TLS handshake failed'],
  [/timed out|timeout/i, 'unreachable', 'it did not answer in time'],
  [/Connection is closed|writeable|Socket closed|max retries/i, 'unreachable', 'the connection is closed'],
];

const ACL_OF_KEY = /access (one of the keys|a key)|can't access at least one of the keys/;
/** For a command, for a command in a script of Redis 6.2 and 7.0, and for one in a script since 7.2. */
const ACL = /\bNOPERM\b|The user executing the script can't|\bACL failure in script\b/;
const NO_COMMAND = /\bunknown (sub|Redis )?command\b/i;

/** ACL refusals, and commands that the server does not have or has renamed. */
const notPermitted = (message: string, sent: string | undefined): Failure | null => {
  const isAcl = ACL.test(message);
  if (!isAcl && !NO_COMMAND.test(message)) return null;
  // Redis 6.2 puts unknown names between backticks.
  const name = /^[^'`]*['`]([\w.|]+)['`]/.exec(message)?.[1] ?? sent;
  const command = name?.includes(' ') ? name : name?.toUpperCase();
  const what = command ?? 'a command it needs';
  if (!isAcl) return { code: 'not_permitted', command, text: `it does not have the command ${what}` };
  if (ACL_OF_KEY.test(message))
    return { code: 'not_permitted', command, ofKey: true, text: `its user may not use ${what}` };
  // Apart from keys and commands, an ACL error only names channels.
  const where = /channel/.test(message) ? ' on this channel' : '';
  return { code: 'not_permitted', command, text: `its user may not use ${what}${where}` };
};

interface RedisError {
  code?: string;
  failure?: FailureCode;
  message?: string;
  command?: { name?: string; args?: unknown };
  /** For a discarded transaction: why each of its commands was refused. */
  previousErrors?: readonly unknown[];
}

/** A failure found by us. `text` completes "Redis …: ". */
export const knownFailure = (failure: FailureCode, text: string): Error =>
  Object.assign(new Error(text), { failure });

/** Server errors begin with a word in capitals; so do those of the TLS library. */
const isAnswer = (message: string): boolean => /^-?(?!SSL|TLS)[A-Z]{2,}\b/.test(message);

/** What Redis 6.2 prepends to the error of a command in a script, and to what `pcall` returns. */
const FROM_SCRIPT = /^(?:ERR Error running script \(call to f_[0-9a-f]+\): )?(?:@?user_script:\s*\d+:\s*-?)+/;

/** The server's own words, also where a script of Redis 6.2 wrapped them. */
export const answerIn = (message: string): string => {
  const inner = message.replace(FROM_SCRIPT, '');
  return inner === message || isAnswer(inner) ? inner : `ERR ${inner}`;
};

const matching = (rules: readonly Rule[], message: string): Failure | null => {
  const [, code, text] = rules.find(([pattern]) => pattern.test(message)) ?? [];
  return code && text ? { code, text } : null;
};

/**
 * What prevents us from using the server, also when a script or a transaction wrapped the error. Null where the server
 * refused the command itself (WRONGTYPE, a syntax error), or where the bug is ours.
 */
export const classify = (error: unknown): Failure | null => {
  const { code = '', failure, message: wrapped = '', command, previousErrors } = (error ?? {}) as RedisError;
  const message = answerIn(wrapped);
  if (HANDSHAKE[code]) return { code: 'tls', text: HANDSHAKE[code] };
  if (SOCKET[code]) return { code: 'unreachable', text: SOCKET[code] };
  if (failure) return { code: failure, text: message };
  const first = previousErrors?.map(classify).find((failure) => failure !== null);
  if (first) return first;
  if (isAnswer(message)) return notPermitted(message, command?.name) ?? matching(SERVER, message);
  return matching(CLIENT, message);
};

const UNKNOWN: Failure = { code: 'unreachable', text: 'it cannot be used at the moment' };

/** As `classify`, for an error that certainly comes from the server. */
const failureIn = (error: unknown): Failure => classify(error) ?? UNKNOWN;

/** Why a Redis does not answer, in words an administrator can act on. */
export const describeFailure = (error: unknown): string => failureIn(error).text;

/** Whether the server answered and refused the command itself. False where it is unreachable or cannot serve. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof Problem) &&
  isAnswer(answerIn(error.message)) &&
  classify(error) === null;

/** A bug of this program, such as an unexpected reply. */
const isOurs = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;

/** The error to throw for a failed command: a `Problem`, a refusal or a bug of ours unchanged, anything else as 503. */
export const failureOf = (connection: string, error: unknown, keyPattern?: string | null): Error =>
  error instanceof Problem || isRefusal(error) || isOurs(error)
    ? (error as Error)
    : unavailable(connection, error, keyPattern);

/** A node of a cluster executed nothing, because the keys are on another one or are being moved. */
interface Redirection {
  kind: string;
  /** The address of the node it names; null where it names none. */
  address: string | null;
}

const REDIRECTION = /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN)\b(?: \d+ (\S+))?/;
/** For a command in a script: the node does not report which node has the key. */
const IN_SCRIPT = /non local key|Cluster state changed/;

/** Null for all other errors. */
export const redirectionIn = (error: unknown): Redirection | null => {
  const text = error instanceof Error ? answerIn(error.message) : '';
  const [, kind, address] = REDIRECTION.exec(text) ?? [];
  // Without a host, the address is on the host that answered.
  if (kind) return { kind, address: address && !/^\??:\d+$/.test(address) ? address : null };
  return IN_SCRIPT.test(text) ? { kind: 'MOVED', address: null } : null;
};

export const isRedirection = (error: unknown): boolean => redirectionIn(error) !== null;

export const isWrongType = (error: unknown): boolean =>
  error instanceof Error && answerIn(error.message).startsWith('WRONGTYPE');

/** The code of an error, before or after it became a `Problem`; null for a refusal or a bug of ours. */
export const codeOf = (error: unknown): ProblemCode | null =>
  error instanceof Problem ? error.code : (classify(error)?.code ?? null);

/** The server answered, but our user may not do this. */
export const isNotPermitted = (error: unknown): boolean => codeOf(error) === 'not_permitted';

/** Whether only this key is not permitted: other keys may still be readable. */
export const isOfKey = (error: unknown): boolean => classify(error)?.ofKey === true;

/**
 * Removes the command's arguments, which ioredis attaches: passwords, keys and values would be printed with the cause.
 */
export const withoutArguments = (error: unknown): unknown => {
  const command = (error as RedisError | null)?.command;
  if (command) command.args = [];
  return error;
};

/**
 * A 503 that names the connection and the reason. `keyPattern`: the pattern of the keys, because the server does not
 * report which key is not permitted.
 */
export const unavailable = (connection: string, error: unknown, keyPattern?: string | null): Problem => {
  if (error instanceof Problem) return error;
  const { code, text, command, ofKey } = failureIn(error);
  const where = ofKey ? ` on ${keyPattern ?? 'this key'}` : '';
  return new Problem(code, `Redis of connection "${connection}": ${text}${where}.`, {
    extensions: { connection, ...(command && { command }), ...(ofKey && keyPattern && { keyPattern }) },
    cause: withoutArguments(error),
  });
};

/** The command was in flight when the connection was lost or timed out, so it may have been executed. */
const wasSent = (error: unknown): boolean => {
  const { code = '', message = '' } = (error ?? {}) as RedisError;
  return (
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    /Command timed out|Connection is closed|max retries per request/i.test(message)
  );
};

/**
 * The error to throw for a failed change: like `failureOf`, and marked `inDoubt` where the change may have been
 * applied.
 */
export const changeFailureOf = (connection: string, error: unknown, keyPattern?: string | null): Error => {
  if (error instanceof Problem) return error;
  const failure = failureOf(connection, error, keyPattern);
  if (!(failure instanceof Problem) || !wasSent(error)) return failure;
  return new Problem(failure.code, `${failure.message} The change may or may not have been applied.`, {
    extensions: { ...failure.extensions, inDoubt: true },
    cause: withoutArguments(error),
  });
};

/** Whether a failed change may still have been applied. */
export const isInDoubt = (error: unknown): boolean =>
  error instanceof Problem && error.extensions.inDoubt === true;

export const storeUnavailable = (error: unknown): Problem =>
  new Problem('store_unavailable', `Keyward's own store is unavailable: ${describeFailure(error)}.`, {
    cause: withoutArguments(error),
  });

/** It does not answer, or this process may not write to it. */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'store_unavailable' || error.code === 'store_version');

/** For `catch`: returns `fallback` where our Redis user may not run the command. Throws any other failure. */
export const withoutPermission = <T>(fallback: T) => fallbackFor(isNotPermitted, fallback);

/**
 * For `catch`: returns `fallback` while the store is unavailable, for reads that only add detail. Throws any other
 * failure.
 */
export const withoutStore = <T>(fallback: T): ((error: unknown) => T) =>
  fallbackFor(isStoreUnavailable, fallback);
