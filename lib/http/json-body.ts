import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { JSONParser, TokenType } from '@streamparser/json';
import { badField, Problem } from '@/lib/errors';

/** A body that is too large is still read up to this size: stopping earlier closes the connection before the answer is sent. */
const MAX_DRAINED = 32 * 2 ** 20;
/** Parsed per turn of the event loop, so that other requests are served in between. */
const STEP_BYTES = 16 * 1024;
/** Names and values of a body together. The longest list that an operation takes has 10 000 items. */
const MAX_VALUES = 12_000;

const PUNCTUATION = new Set<TokenType>([
  TokenType.COLON,
  TokenType.COMMA,
  TokenType.RIGHT_BRACE,
  TokenType.RIGHT_BRACKET,
]);

const tooLarge = (limit: number): Problem => {
  const allowed = limit < 2 ** 20 ? `${limit / 2 ** 10} KiB` : `${limit / 2 ** 20} MiB`;
  return new Problem('too_large', `The body is larger than ${allowed}.`);
};

const refused = (message: string): Problem => badField('', message);

/** Parses JSON in pieces and counts its values, so that validation gets a bounded number of them. */
const jsonParser = () => {
  const parser = new JSONParser({ paths: ['$'], stringBufferSize: STEP_BYTES, numberBufferSize: 256 });
  let count = 0;
  let root: unknown;
  parser.onValue = ({ value }) => {
    root = value;
  };
  parser.onToken = ({ token }) => {
    if (!PUNCTUATION.has(token) && ++count > MAX_VALUES)
      throw refused(`The body has more than ${MAX_VALUES} names and values.`);
  };
  return {
    write: (bytes: Uint8Array): void => parser.write(bytes),
    end: (): unknown => {
      if (!parser.isEnded) parser.end();
      return root;
    },
  };
};

/** Reads a body in small steps, with a turn of the event loop after each. Throws 413 above `limit`, whatever Content-Length says. */
const readSteps = async (
  request: Request,
  limit: number,
  onStep: (bytes: Uint8Array) => void,
): Promise<void> => {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_DRAINED) break;
    for (let at = 0; at < chunk.byteLength && size <= limit; at += STEP_BYTES) {
      onStep(chunk.subarray(at, at + STEP_BYTES));
      await setImmediate();
    }
  }
  if (size > limit) throw tooLarge(limit);
};

const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  return refused(error instanceof TypeError ? 'The body is not UTF-8.' : 'The body is not valid JSON.');
};

/** The value of a body (undefined without one), or its problem, after it was read to the end. */
const readJson = async (request: Request, limit: number): Promise<{ value?: unknown; problem?: Problem }> => {
  const parser = jsonParser();
  let problem: Problem | undefined;
  const attempt = <T>(work: () => T): T | undefined => {
    if (problem) return undefined;
    try {
      return work();
    } catch (error) {
      problem = problemOf(error);
      return undefined;
    }
  };
  await readSteps(request, limit, (bytes) => attempt(() => parser.write(bytes)));
  const value = attempt(parser.end);
  return problem ? { problem } : { value };
};

/** The JSON object in a request's body; empty without a body. */
export const jsonBody = async (request: Request, limit: number): Promise<Record<string, unknown>> => {
  const { value, problem } = await readJson(request, limit);
  if (!problem && value === undefined) return {};
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw refused('Send the body as application/json.');
  if (problem) throw problem;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refused('The body must be a JSON object.');
  return value as Record<string, unknown>;
};
