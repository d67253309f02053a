import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { type FieldError, Problem } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import { noString, readValue, readValues, type StoredValue } from '@/lib/values/string-value';
import { readBoolean } from '@/lib/values/style';
import { flagKey, flagNames } from '../names';
import { fullText, shownText } from '../state';
import type { Evaluation, EvaluationFailure, ofrepContracts } from './schema';

/** Of a longer value only the length is read: no flag has one. */
const READ_BYTES = 512;

const failed = (
  key: string,
  errorCode: EvaluationFailure['errorCode'],
  errorDetails: string,
): EvaluationFailure => ({ key, errorCode, errorDetails });

/** What a flag's value says to an application. What looks secret is told as an error, never as a value. */
const evaluationOf = (ctx: ReadContext, key: string, value: StoredValue): Evaluation | EvaluationFailure => {
  if (value.type !== 'string') return failed(key, 'PARSE_ERROR', noString(value.type));
  const text = fullText(value);
  if (text === null)
    return failed(key, 'PARSE_ERROR', 'The value is no flag: it is too long, or no UTF-8 text.');
  if (shownText(key, text) === null)
    return failed(key, 'GENERAL', 'The value is too long for a flag or looks secret: it is not given out.');
  const metadata = { connection: ctx.connection.config.id };
  const enabled = readBoolean(text);
  if (enabled === null) return { key, reason: 'STATIC', variant: 'text', value: text, metadata };
  return { key, reason: 'STATIC', variant: enabled ? 'on' : 'off', value: enabled, metadata };
};

/** A problem document that is the protocol's answer as well. */
const inProtocol = (problem: Problem, key: string | undefined, errorCode: string): Problem =>
  new Problem(problem.code, problem.message, {
    extensions: {
      ...problem.extensions,
      ...(key === undefined ? {} : { key }),
      errorCode,
      errorDetails: problem.message,
    },
    cause: problem,
  });

/** ofrep.evaluate: one flag, read now. Variables that are no flags are as unknown as what is not there. */
export const evaluateFlag = async (
  ctx: ReadContext,
  { key: name }: { key: string },
): Promise<Result<typeof ofrepContracts.evaluate>> => {
  const key = flagKey(ctx, name);
  const value = key ? await readValue(ctx.reader, key, READ_BYTES) : null;
  if (!value)
    throw inProtocol(new Problem('not_found', 'There is no flag of this name.'), name, 'FLAG_NOT_FOUND');
  const evaluated = evaluationOf(ctx, name, value);
  if ('value' in evaluated) return evaluated;
  throw inProtocol(new Problem('bad_input', evaluated.errorDetails), name, evaluated.errorCode);
};

/** ofrep.evaluateAll: every flag that can be asked for by its name, in one round trip, by name. */
export const evaluateFlags = async (ctx: ReadContext): Promise<Result<typeof ofrepContracts.evaluateAll>> => {
  const names = await flagNames(ctx, { polling: true });
  const values = await readValues(
    ctx.reader,
    names.map(({ key }) => key),
    READ_BYTES,
  );
  const flags = names.flatMap(({ name }, i) => {
    const value = values[i];
    return value ? [evaluationOf(ctx, name, value)] : [];
  });
  return { flags };
};

/** Changes when a flag comes, goes or has another value, and only then. */
export const evaluationsTag = (answer: Result<typeof ofrepContracts.evaluateAll>): string =>
  `"${digest('etag', JSON.stringify(answer), 27)}"`;

/** A request that is not accepted, in the protocol's terms too. */
export const refuseEvaluation = (problem: Problem, { key }: Record<string, string | undefined>): Problem => {
  if (problem.code !== 'bad_input' && problem.code !== 'too_large') return problem;
  const errors = (problem.extensions.errors ?? []) as FieldError[];
  const inContext = errors.some(({ path }) => /^context\b/.test(path));
  return inProtocol(problem, key, inContext ? 'INVALID_CONTEXT' : 'PARSE_ERROR');
};
