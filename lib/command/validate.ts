import 'server-only';
import type { z } from 'zod';
import type { Contract, Input } from '@/lib/contract';
import { badInput, type FieldError } from '@/lib/errors';

const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text ? `${text}.${String(part)}` : String(part);
  }, '');

/** One error per field; an unknown field is named. Messages never repeat the value: it may be a secret. */
const fieldErrors = (issues: readonly z.core.$ZodIssue[]): FieldError[] =>
  issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ path: pathOf(issue.path), message: issue.message }];
    return issue.keys.map((key) => ({
      path: pathOf([...issue.path, key.slice(0, 100)]),
      message: 'Unknown field.',
    }));
  });

const MOST_ERRORS = 50;

/** The input as the contract wants it; a 400 `Problem` naming each wrong field otherwise. */
export const parseInput = <C extends Contract>(contract: C, raw: unknown): Input<C> => {
  const parsed = contract.input.safeParse(raw);
  if (!parsed.success) throw badInput(fieldErrors(parsed.error.issues).slice(0, MOST_ERRORS));
  return parsed.data as Input<C>;
};
