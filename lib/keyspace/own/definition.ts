import { z } from 'zod';
import { FAMILY_ROLES } from '../roles';
import { entityInFile } from './entity-definition';
import {
  familyId,
  familyName,
  fieldName,
  grammar,
  KEBAB,
  listOf,
  mapping,
  oneOf,
  paramName,
  shortText,
  text,
} from './fields';

/** Bounds of a file. Within them every key is classified in time linear in its length. */
export const MAX_FAMILIES = 2000;
export const MAX_PARAMS = 12;
const MAX_TTL_SECONDS = 3_153_600_000;

export const FAMILY_TYPES = [
  'string',
  'hash',
  'set',
  'zset',
  'list',
  'stream',
  'timeseries',
  'vectorset',
  'channel',
] as const;

const DURATION = /^(?:\d{1,10}[wdhms])+$/u;
const UNIT_SECONDS: Record<string, number> = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };

export const secondsIn = (given: string | number): number =>
  typeof given === 'number'
    ? given
    : [...given.matchAll(/(\d+)([wdhms])/gu)].reduce(
        (sum, [, amount, unit]) => sum + Number(amount) * UNIT_SECONDS[unit!]!,
        0,
      );

const DURATION_HELP = 'a duration such as 30d, 12h, 5m or 90s, or whole seconds';
const BOUNDS = { error: 'a duration of one second to a hundred years' };
export const duration = z.union(
  [
    z.int().min(1, BOUNDS).max(MAX_TTL_SECONDS, BOUNDS),
    z
      .string()
      // Aborted, so that the union around a duration names all its alternatives.
      .regex(DURATION, { abort: true })
      .max(40, { abort: true })
      .refine((given) => {
        const seconds = secondsIn(given);
        return seconds >= 1 && seconds <= MAX_TTL_SECONDS;
      }, BOUNDS),
  ],
  { error: DURATION_HELP },
);

const TTL_HELP =
  'a duration such as 30d, 12h or 5m (or whole seconds), { min, max }, persistent (never expires), none (until it is invalidated) or any';
const ttl = z
  .union(
    [
      duration,
      mapping({
        min: duration.describe('The shortest time to live.'),
        max: duration.describe('The longest time to live.'),
      }),
      z.enum(['persistent', 'none', 'any']),
    ],
    {
      error: TTL_HELP,
    },
  )
  .describe(`How long a key lives: ${TTL_HELP}. Without it: any.`);

const PART_HELP =
  '{ param: name }, { field: name }, { member: text | token | key } or { value: text | json }';
const part = z
  .union(
    [
      mapping({
        param: paramName.describe('A parameter of the pattern.'),
        prefix: shortText.optional().describe('What its values begin with before the fact itself.'),
      }),
      mapping({
        field: fieldName.describe(
          'A field of the hash, or a property of the JSON object (user.id: a nested one).',
        ),
        or: listOf(fieldName, 'a list of fields', 10)
          .optional()
          .describe('Other names of the field, where keys were written differently: the first that exists.'),
        unit: z
          .enum(['s', 'ms', 'iso'])
          .optional()
          .describe('How a time is written: Unix seconds (without it), Unix milliseconds, or ISO 8601.'),
        format: z.enum(['text', 'json']).optional().describe('What the field contains; text without it.'),
      }),
      mapping({
        member: z
          .enum(['text', 'token', 'key'])
          .describe('What each member is: a text, the token, or the complete key.'),
      }),
      mapping({ value: z.enum(['text', 'json']).describe('The complete value, as text or JSON.') }),
    ],
    { error: PART_HELP },
  )
  .describe(
    'Where it is read: a parameter of the name, a field of the hash or JSON object (with the unit of a time), each member, or the value.',
  );

/** Parameter of another family → parameter of this one. */
const paramMap = z.record(paramName, paramName, { error: 'a mapping of parameters' });

const familyShape = {
  id: familyId.describe('Names the family within this file, in kebab-case.'),
  pattern: z
    .string({ error: 'a pattern such as sess:{id}' })
    .min(1, { error: 'a pattern such as sess:{id}' })
    .max(512, { error: 'a pattern of at most 512 characters' })
    .describe('The name of its keys: fixed text and {parameters}. Write {{ and }} for braces.'),
  params: z
    .record(paramName, grammar, { error: 'a mapping from the name of a parameter to what it looks like' })
    .optional()
    .describe('What parameters look like, by name.'),
  type: oneOf(FAMILY_TYPES).describe('The type of its values in Redis.'),
  otherTypes: listOf(oneOf(FAMILY_TYPES), 'a list of types', 8)
    .optional()
    .describe('Other types that are not reported as drift.'),
  ttl: ttl.optional(),
  fallback: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('It gets a key only where no other family with an equally literal pattern does.'),
  role: oneOf(FAMILY_ROLES)
    .optional()
    .describe('What the family is to the console: its page and what can be done there follow from it.'),
  parts: z
    .record(z.string(), part, { error: 'a mapping from the name of a part to where it is read' })
    .optional()
    .describe("Where the role's facts are read, such as token, userId or lastActivity."),
  sensitive: listOf(paramName, 'a list of parameters', MAX_PARAMS)
    .optional()
    .describe('Parameters that are secrets. The token of a role is one anyway.'),
  fields: listOf(fieldName, 'a list of fields')
    .optional()
    .describe('Fields that the application writes into each of its hashes: one without them is drift.'),
  sensitiveValue: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('The complete value is a secret.'),
  sensitiveFields: listOf(fieldName, 'a list of fields')
    .optional()
    .describe('Fields of the hash or JSON object that are secrets.'),
  identifyingFields: listOf(fieldName, 'a list of fields', 20)
    .optional()
    .describe('Fields that a hash must have to belong to the family, where its name is ambiguous.'),
  innerKey: paramName
    .optional()
    .describe('The parameter that is itself a complete key. It is shown as that key is.'),
  expectedNames: listOf(shortText, 'a list of names')
    .optional()
    .describe('Names of variables that should exist: the Variables page lists those that do not.'),
  related: listOf(
    mapping({
      family: familyName.describe('The other family.'),
      params: paramMap.describe('Each parameter of the other family → the parameter of this one.'),
    }),
    'a list of { family, params }',
    20,
  )
    .optional()
    .describe('Keys about the same thing. params: parameter of the other family → parameter of this one.'),
  members: mapping({
    family: familyName.describe('The family that members refer to.'),
    param: paramName.describe('The parameter of that family which a member is.'),
  })
    .optional()
    .describe('What the members of a set, sorted set or list refer to: a parameter of another family.'),
  title: shortText.optional().describe('Its name on pages. Without it: the id in words.'),
  purpose: shortText.optional().describe('What it is for, in a sentence.'),
  examples: listOf(text('a key as the application writes it', /^[\s\S]+$/u, 4096), 'a list of keys', 20)
    .optional()
    .describe('Keys as the application writes them; each must belong to the family.'),
  guarded: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('Only administrators may invalidate it. Without it: as its role says.'),
};
export const familyInFile = mapping(familyShape);
export type FamilyInFile = z.output<typeof familyInFile>;
export type TtlInFile = z.output<typeof ttl>;

/** A catalog file. Its JSON Schema is generated from this definition. */
export const catalogFile = mapping({
  $schema: z.string().optional().describe('For editors; not read.'),
  app: text('the name of your application in kebab-case, 40 characters at most', KEBAB, 40).describe(
    'The name of your application: ids of its families begin with it.',
  ),
  title: shortText.optional().describe("The application's name on pages."),
  families: listOf(familyInFile, `a list of families, ${MAX_FAMILIES} at most`, MAX_FAMILIES)
    .min(1, { error: 'at least one family' })
    .describe('The families of keys.'),
  entities: listOf(entityInFile, 'a list of at most 100 entities')
    .optional()
    .describe('Things that change, and the keys that are stale then: the Families page invalidates them.'),
});

/** The JSON Schema of a catalog file (draft 2020-12), for editors. */
export const catalogSchema = (): unknown => ({
  $id: 'catalog.schema.json',
  title: 'Keyward catalog',
  description: "A team's own catalog: the families of its keys, and what they are to the console.",
  ...z.toJSONSchema(catalogFile, { io: 'input' }),
});
