import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { type FieldError, Problem } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import { notStringReason, readValue, readValues, type StoredValue } from '@/lib/values/string-value';
import { readBoolean } from '@/lib/values/style';
import { flagKey, flagNames } from '../names';
import { fullText, shownText } from '../state';
import type { Evaluation, EvaluationFailure, ofrepContracts } from './schema';

/** Bytes read of a value: flags are shorter. */
const READ_BYTES = 512;

const failed = (
  key: string,
  errorCode: EvaluationFailure['errorCode'],
  errorDetails: string,
): EvaluationFailure => ({ key, errorCode, errorDetails });

/** A flag's value for an application. A value that looks secret is an error instead. */
const evaluationOf = (ctx: ReadContext, key: string, value: StoredValue): Evaluation | EvaluationFailure => {
  if (value.type !== 'string') return failed(key, 'PARSE_ERROR', notStringReason(value.type));
  const text = fullText(value);
  if (text === null)
    return failed(key, 'PARSE_ERROR', 'The value is too long for a flag, or not UTF-8 text.');
  if (shownText(key, text) === null)
    return failed(key, 'GENERAL', 'The value is too long for a flag or looks secret, so it is not returned.');
  const metadata = { connection: ctx.connection.config.id };
  const enabled = readBoolean(text);
  if (enabled === null) return { key, reason: 'STATIC', variant: 'text', value: text, metadata };
  return { key, reason: 'STATIC', variant: enabled ? 'on' : 'off', value: enabled, metadata };
};

/** A problem document with the protocol's error fields added. */
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

/** ofrep.evaluate: reads one flag. Other variables are FLAG_NOT_FOUND, like missing ones. */
export const evaluateFlag = async (
  ctx: ReadContext,
  { key: name }: { key: string },
): Promise<Result<typeof ofrepContracts.evaluate>> => {
  const key = flagKey(ctx, name);
  const value = key ? await readValue(ctx.reader, key, READ_BYTES) : null;
  if (!value) throw inProtocol(new Problem('not_found', 'Flag not found.'), name, 'FLAG_NOT_FOUND');
  const evaluated = evaluationOf(ctx, name, value);
  if ('value' in evaluated) return evaluated;
  throw inProtocol(new Problem('bad_input', evaluated.errorDetails), name, evaluated.errorCode);
};

/** ofrep.evaluateAll: all flags by name, read in one round trip. */
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

/** ETag of the response: changes only if a flag is created, deleted or changed. */
export const evaluationsTag = (answer: Result<typeof ofrepContracts.evaluateAll>): string =>
  `"${digest('etag', JSON.stringify(answer), 27)}"`;

/** Adds the protocol's error code to a rejected request. */
export const refuseEvaluation = (problem: Problem, { key }: Record<string, string | undefined>): Problem => {
  if (problem.code !== 'bad_input' && problem.code !== 'too_large') return problem;
  const errors = (problem.extensions.errors ?? []) as FieldError[];
  const inContext = errors.some(({ path }) => /^context\b/.test(path));
  return inProtocol(problem, key, inContext ? 'INVALID_CONTEXT' : 'PARSE_ERROR');
};
