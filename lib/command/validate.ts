import 'server-only';
import type { z } from 'zod';
import type { Contract, Input } from '@/lib/contract';
import { badField, badInput, type FieldError } from '@/lib/errors';
import { maskSecrets } from '@/lib/keyspace/mask';
import { DAY } from '@/lib/time';
import { inputFault } from './input-fault';

const MAX_NAME = 100;
const MAX_ERRORS = 50;

/** The caller also chooses names, and one may be a pasted secret. */
const nameOf = (part: PropertyKey): string =>
  maskSecrets(String(part).slice(0, 10 * MAX_NAME), true).slice(0, MAX_NAME);

const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text ? `${text}.${nameOf(part)}` : nameOf(part);
  }, '');

/** One error per field; an unknown field is named. Messages never repeat a value. */
const fieldErrors = (issues: readonly z.core.$ZodIssue[]): FieldError[] =>
  issues.slice(0, MAX_ERRORS).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ path: pathOf(issue.path), message: issue.message }];
    return issue.keys.slice(0, MAX_ERRORS).map((key) => ({
      path: pathOf([...issue.path, key]),
      message: 'Unknown field.',
    }));
  });

/**
 * Finds fields called `__proto__`. zod drops them silently, and a target whose only condition is dropped would match
 * everything. Iterative, because the sender chooses how deep a body goes.
 */
const prototypeFields = (raw: unknown): FieldError[] => {
  const errors: FieldError[] = [];
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  const left: { path: PropertyKey[]; value: object }[] = isObject(raw) ? [{ path: [], value: raw }] : [];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { path, value } = next;
    if (Object.hasOwn(value, '__proto__'))
      errors.push({ path: pathOf([...path, '__proto__']), message: 'Unknown field.' });
    // Accepted inputs are never nested deeper.
    if (path.length >= DEEPEST) continue;
    for (const [name, inner] of Object.entries(value))
      if (isObject(inner))
        left.push({ path: [...path, Array.isArray(value) ? Number(name) : name], value: inner });
  }
  return errors;
};

const DEEPEST = 8;

/** The validated input. Throws a 400 `Problem` naming each invalid field. */
export const parseInput = <C extends Contract>(contract: C, raw: unknown): Input<C> => {
  const hidden = prototypeFields(raw);
  if (hidden.length > 0) throw badInput(hidden.slice(0, MAX_ERRORS));
  const parsed = contract.input.safeParse(raw, { error: inputFault });
  if (!parsed.success) throw badInput(fieldErrors(parsed.error.issues).slice(0, MAX_ERRORS));
  return parsed.data as Input<C>;
};

/** A time in the future, epoch ms. Throws 400 for a past one. */
export const futureTime = (path: string, at: string, now: number): number => {
  const time = Date.parse(at);
  if (time <= now) throw badField(path, 'This time has passed. Choose a later one.');
  return time;
};

/** The time of a scheduled change, epoch ms: in the future and within a year. */
export const scheduledTime = (path: string, at: string, now: number): number => {
  const time = futureTime(path, at, now);
  if (time > now + 365 * DAY) throw badField(path, 'Choose a time within a year.');
  return time;
};
