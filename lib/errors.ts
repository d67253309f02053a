/** The console's own errors: every refusal a caller can get, as RFC 9457 problem documents. Isomorphic. */

export const PROBLEMS = {
  bad_input: { status: 400, title: 'The request is not valid' },
  command_refused: { status: 400, title: 'This command is not run here' },
  unknown_command: { status: 400, title: 'The server does not know this command' },
  confirmation_required: { status: 400, title: 'This needs a typed confirmation' },
  unauthenticated: { status: 401, title: 'Sign in first' },
  second_factor_required: { status: 401, title: 'A second factor is needed' },
  forbidden: { status: 403, title: 'Your role does not allow this' },
  step_up_required: { status: 403, title: 'Confirm with your second factor' },
  wrong_origin: { status: 403, title: 'The request came from another origin' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  approval_required: { status: 409, title: 'A second user must approve this' },
  no_undo: { status: 409, title: 'This cannot be undone' },
  value_doubtful: { status: 409, title: 'The value does not look right' },
  exists: { status: 409, title: 'This name is taken' },
  conflict: { status: 409, title: 'This conflicts with the current state' },
  cursor_expired: { status: 410, title: 'The cursor has expired: read the list from the beginning' },
  expired: { status: 410, title: 'This has expired' },
  changed: { status: 412, title: 'The value changed since you read it' },
  too_large: { status: 413, title: 'The request is too large' },
  read_only: { status: 423, title: 'This connection is read-only' },
  throttled: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  not_permitted: { status: 503, title: 'The Redis user may not do this' },
  full: { status: 503, title: 'Redis is full' },
  replica: { status: 503, title: 'This Redis is a read-only replica' },
  moved: { status: 503, title: 'The keys are on another node' },
  loading: { status: 503, title: 'Redis is loading its data' },
  busy: { status: 503, title: 'Redis is busy' },
  unreachable: { status: 503, title: 'Redis is unreachable' },
  auth: { status: 503, title: 'Redis refused the password' },
  tls: { status: 503, title: 'The TLS handshake failed' },
  store_version: { status: 503, title: "The console's store is of another version" },
  store_unavailable: { status: 503, title: "The console's store is unreachable" },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export interface FieldError {
  path: string;
  message: string;
}

export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  requestId: string;
  errors?: FieldError[];
  [extension: string]: unknown;
}

export interface ProblemOptions {
  /** Further members of the problem document: `errors`, `etag`, `connection`, `retryAfterSeconds`. */
  extensions?: Record<string, unknown>;
  cause?: unknown;
}

/** A refusal or failure whose `detail` may be shown to the caller: it must never contain a secret. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly extensions: Record<string, unknown>;

  /**
   * Recognised by its shape, not by its class: Next bundles instrumentation and routes separately, so connections
   * created by one throw another copy of this class in the other.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (
      value instanceof Error && value.name === 'Problem' && Object.hasOwn(PROBLEMS, (value as Problem).code)
    );
  }

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.status = PROBLEMS[code].status;
    this.extensions = options.extensions ?? {};
  }

  toDocument(requestId: string): ProblemDocument {
    return {
      ...this.extensions,
      type: `urn:keyward:problem:${this.code}`,
      title: PROBLEMS[this.code].title,
      status: this.status,
      detail: this.message,
      code: this.code,
      requestId,
    };
  }
}

/** Adds a sentence to a problem's detail, such as what was done before. Returns any other error unchanged. */
export const withDetail = (error: unknown, sentence: string): unknown =>
  error instanceof Problem
    ? new Problem(error.code, `${error.message} ${sentence}`, {
        extensions: error.extensions,
        cause: error.cause,
      })
    : error;

export const badInput = (errors: FieldError[]): Problem =>
  new Problem('bad_input', errors.map((e) => (e.path ? `${e.path}: ${e.message}` : e.message)).join('; '), {
    extensions: { errors },
  });

/** A 400 for one field. */
export const badField = (path: string, message: string): Problem => badInput([{ path, message }]);

/** 429, with `Retry-After`. */
export const throttled = (detail: string, retryAfterSeconds: number): Problem =>
  new Problem('throttled', detail, { extensions: { retryAfterSeconds } });

export const notFound = (what: string): Problem => new Problem('not_found', `${what} was not found.`);

/** For `catch`: `fallback` for the errors that `is` accepts. Throws any other. */
export const fallbackFor =
  <T>(is: (error: unknown) => boolean, fallback: T) =>
  (error: unknown): T => {
    if (is(error)) return fallback;
    throw error;
  };
