import { z } from 'zod';

/** Schemas shared by the families and entities of a file. */

const MAX_LENGTH = 65_536;

export const GRAMMARS = [
  'digits',
  'hex',
  'uuid',
  'word',
  'segment',
  'plain-text',
  'text',
  'pairs',
  'token',
  'legacy-token',
  'jwt',
] as const;

const NAME = '[a-z][a-z0-9]*(?:-[a-z0-9]+)*';
/** A name in kebab-case. */
export const KEBAB = new RegExp(`^${NAME}$`, 'u');
const PARAM = /^[A-Za-z][A-Za-z0-9_]{0,63}$/u;

/** `error` completes "expected …". */
export const text = (error: string, pattern: RegExp, max = 200) =>
  z.string({ error }).regex(pattern, { error }).max(max, { error });
export const listOf = <S extends z.ZodType>(item: S, error: string, max = 100) =>
  z.array(item, { error }).max(max, { error });
export const mapping = <S extends z.ZodRawShape>(shape: S, error = 'a mapping') =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? `one of ${Object.keys(shape).join(', ')}` : error),
  });
export const oneOf = <const T extends readonly string[]>(
  choices: T,
  error = `one of ${choices.join(', ')}`,
) => z.enum(choices, { error });

export const shortText = text('a text of 1 to 200 characters in one line', /^(?=.*\S)[^\r\n]+$/u);
export const familyId = text('an id in kebab-case, such as user-sessions', KEBAB, 64);
export const familyName = text(
  'the id of a family of this file, or {application}.{id} of another one',
  new RegExp(`^(?:${NAME}\\.)?${NAME}$`, 'u'),
  129,
);
export const paramName = text('the name of a parameter', PARAM, 64);
export const fieldName = text('the name of a field', /^[^\r\n]+$/u);

const GRAMMAR_HELP = `one of ${GRAMMARS.join(', ')}, { oneOf: [a, b] }, { chars: abc, min: 1, max: 20 } or { except: ":/" }`;
export const grammar = z
  .union(
    [
      z.enum(GRAMMARS),
      mapping({
        oneOf: z
          .array(text('1 to 64 visible characters in ASCII', /^[\x21-\x7e]+$/u, 64), {
            error: 'a list of values',
          })
          .min(1, { error: 'at least one value' })
          .max(200, { error: 'at most 200 values' })
          .describe('The only values it may have.'),
      }),
      mapping({
        chars: text('1 to 128 printable characters in ASCII', /^[\x20-\x7e]+$/u, 128).describe(
          'The characters that it may contain.',
        ),
        min: z.int().min(1).max(MAX_LENGTH).optional().describe('Characters at least; 1 without it.'),
        max: z.int().min(1).max(MAX_LENGTH).optional().describe('Characters at most; 512 without it.'),
      }),
      mapping({
        except: text('1 to 128 characters in ASCII', /^\p{ASCII}+$/u, 128).describe(
          'The characters in ASCII that it may not contain. It may contain any other.',
        ),
        min: z.int().min(1).max(MAX_LENGTH).optional().describe('Bytes at least; 1 without it.'),
        max: z.int().min(1).max(MAX_LENGTH).optional().describe('Bytes at most; any number without it.'),
      }),
    ],
    { error: GRAMMAR_HELP },
  )
  .describe(
    'What the parameter looks like. Without it: text without ":", control characters, and the separator that follows it.',
  );

export type GrammarInFile = z.output<typeof grammar>;
