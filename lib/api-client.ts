import type { z } from 'zod';
import type { Contract, Result, WireInput } from './contract';
import { isConnectionPath, pathParameters } from './contract';
import type { FieldError, ProblemCode, ProblemDocument } from './errors';

/** Translates sentences of the server, which are English; set in a browser with another language (app/text-provider.tsx). */
export const sentences: { translate: (english: string) => string } = { translate: (english) => english };

/** Translates what the catalog says in answers; set like `sentences`, before its words are loaded. */
export const answers: { inWords: Promise<(answer: unknown) => unknown> | null } = { inWords: null };

/** An unsuccessful answer of the API. `no_answer`: none came, or not from the console. */
export class ApiProblem extends Error {
  readonly code: ProblemCode | 'no_answer';
  readonly title: string | null;
  readonly requestId: string | null;
  readonly errors: FieldError[];
  /** The refused change, if a user can ask for its approval. */
  asks: { operation: string; input: Record<string, unknown>; connection: string } | null = null;
  /** The query client reloads the list from the start because of this error. */
  restartsList = false;

  constructor(
    readonly status: number,
    readonly document: Partial<ProblemDocument>,
  ) {
    super(sentences.translate(document.detail ?? document.title ?? `The console answered ${status}.`));
    this.name = 'ApiProblem';
    this.code = document.code ?? 'no_answer';
    this.title = document.title ? sentences.translate(document.title) : null;
    this.requestId = document.requestId ?? null;
    this.errors = (document.errors ?? []).map(({ path, message }) => ({
      path,
      message: sentences.translate(message),
    }));
  }
}

/** The path the console is served under, which the layout writes on <html>. */
export const basePath = (): string =>
  typeof document === 'undefined' ? '' : (document.documentElement.dataset.basePath ?? '');

/** How a request is sent; while a page is rendered, the server asks itself (`app/(console)/first-answers.tsx`). */
export const transport = {
  send: (path: string, init: RequestInit): Promise<Response> => fetch(path, init),
};

/**
 * Asks the user for the second factor, where an operation needs it again; resolves with whether it was given. The
 * console's shell sets it.
 */
export const stepUp: { ask: (() => Promise<boolean>) | null } = { ask: null };

interface CallOptions {
  connection?: string;
  signal?: AbortSignal;
  /** The second factor was just given: it is not asked for again. */
  steppedUp?: boolean;
}

/** The URL of an operation, with its path parameters and, for a GET, the rest of its input as query. */
export const urlOf = (contract: Contract, input: Record<string, unknown>, connection?: string): string => {
  const rest = { ...input };
  let path = contract.path;
  if (isConnectionPath(path)) {
    if (!connection) throw new Error(`${contract.id} needs a connection`);
    path = path.replace('{connection}', encodeURIComponent(connection));
  }
  for (const name of pathParameters(contract.path)) {
    path = path.replace(`{${name}}`, encodeURIComponent(String(rest[name])));
    delete rest[name];
  }
  if (contract.method !== 'GET') return basePath() + path;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return basePath() + path + (text ? `?${text}` : '');
};

const bodyOf = (contract: Contract, input: Record<string, unknown>): string => {
  const rest = { ...input };
  for (const name of pathParameters(contract.path)) delete rest[name];
  return JSON.stringify(rest);
};

/** Calls an operation. Throws `ApiProblem` for an unsuccessful answer, also when none came. */
export const call = async <C extends Contract>(
  contract: C,
  input: WireInput<C>,
  options: CallOptions = {},
): Promise<Result<C>> => {
  const fields = (input ?? {}) as Record<string, unknown>;
  const init: RequestInit = { method: contract.method, credentials: 'same-origin', cache: 'no-store' };
  if (options.signal) init.signal = options.signal;
  if (contract.method !== 'GET') {
    init.headers = { 'content-type': 'application/json' };
    init.body = bodyOf(contract, fields);
  }
  let response: Response;
  try {
    response = await transport.send(urlOf(contract, fields, options.connection), init);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiProblem(0, { detail: 'Keyward does not respond. Check your network and try again.' });
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return (answers.inWords ? (await answers.inWords)(body) : body) as Result<C>;
  const problem = new ApiProblem(response.status, (body ?? {}) as Partial<ProblemDocument>);
  const asksAgain = problem.code === 'step_up_required' && !options.steppedUp;
  if (asksAgain && (await stepUp.ask?.())) return call(contract, input, { ...options, steppedUp: true });
  throw problem;
};

type ListContract = Contract<
  z.ZodType<unknown, { cursor?: string | undefined }>,
  z.ZodType<{ items: unknown[]; nextCursor: string | null }>
>;

/** All pages of a list. */
export const callAll = async <C extends ListContract>(
  contract: C,
  input: WireInput<C>,
  options: CallOptions = {},
): Promise<Result<C>> => {
  const first: Result<ListContract> = await call(contract, input, options);
  const items = [...first.items];
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const page: Result<ListContract> = await call(contract, { ...input, cursor } as WireInput<C>, options);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return { ...first, items, nextCursor: null } as Result<C>;
};
