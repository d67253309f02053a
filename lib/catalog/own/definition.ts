import { z } from 'zod';
import { FAMILY_ROLES } from '../roles';

/** Bounds of a file. Within them every key is classified in time linear in its length. */
export const MAX_FAMILIES = 2000;
export const MAX_PARAMS = 12;
const MAX_TTL_SECONDS = 3_153_600_000;
const MAX_LENGTH = 65_536;

export const GRAMMARS = ['digits', 'hex', 'uuid', 'word', 'segment', 'text', 'token', 'jwt'] as const;
export const FAMILY_TYPES = [
  ...(['string', 'hash', 'set', 'zset', 'list', 'stream', 'timeseries', 'channel'] as const),
] as const;

const NAME = '[a-z][a-z0-9]*(?:-[a-z0-9]+)*';
/** A name in kebab-case. */
const KEBAB = new RegExp(`^${NAME}$`, 'u');
const DURATION = /^(?:\d{1,10}[wdhms])+$/u;
const PARAM = /^[A-Za-z][A-Za-z0-9_]{0,63}$/u;

/** `error` completes "expected …". */
const text = (error: string, pattern: RegExp, max = 200) =>
  z.string({ error }).regex(pattern, { error }).max(max, { error });
const listOf = <S extends z.ZodType>(item: S, error: string, max = 100) =>
  z.array(item, { error }).max(max, { error });
const mapping = <S extends z.ZodRawShape>(shape: S, error = 'a mapping') =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? `one of ${Object.keys(shape).join(', ')}` : error),
  });
const oneOf = <const T extends readonly string[]>(choices: T, error = `one of ${choices.join(', ')}`) =>
  z.enum(choices, { error });

const shortText = text('a text of 1 to 200 characters in one line', /^(?=.*\S)[^\r\n]+$/u);
const familyId = text('an id in kebab-case, such as user-sessions', KEBAB, 64);
const familyName = text(
  'the id of a family of this file, or {application}.{id} of another one',
  new RegExp(`^(?:${NAME}\\.)?${NAME}$`, 'u'),
  129,
);
const paramName = text('the name of a parameter', PARAM, 64);
const fieldName = text('the name of a field', /^[^\r\n]+$/u);

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
const duration = z.union(
  [
    z.int().min(1, BOUNDS).max(MAX_TTL_SECONDS, BOUNDS),
    text(DURATION_HELP, DURATION, 40).refine((given) => {
      const seconds = secondsIn(given);
      return seconds <= MAX_TTL_SECONDS && (seconds >= 1 || !DURATION.test(given));
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
      z.strictObject({
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

const GRAMMAR_HELP = `one of ${GRAMMARS.join(', ')}, { oneOf: [a, b] } or { chars: abc, min: 1, max: 20 }`;
const grammar = z
  .union(
    [
      z.enum(GRAMMARS),
      z.strictObject({
        oneOf: z
          .array(z.string().regex(/^[\x21-\x7e]{1,64}$/u))
          .min(1)
          .max(200)
          .describe('The only values it may have.'),
      }),
      z.strictObject({
        chars: z
          .string()
          .regex(/^[\x20-\x7e]{1,128}$/u)
          .describe('The characters that it may contain.'),
        min: z.int().min(1).max(MAX_LENGTH).optional().describe('Characters at least; 1 without it.'),
        max: z.int().min(1).max(MAX_LENGTH).optional().describe('Characters at most; 512 without it.'),
      }),
    ],
    { error: GRAMMAR_HELP },
  )
  .describe(
    'What the parameter looks like. Without it: text without ":", control characters, and the separator that follows it.',
  );

const PART_HELP =
  '{ param: name }, { field: name }, { member: text | token | key } or { value: text | json }';
const part = z
  .union(
    [
      z.strictObject({
        param: paramName.describe('A parameter of the pattern.'),
        prefix: shortText.optional().describe('What its values begin with before the fact itself.'),
      }),
      z.strictObject({
        field: fieldName.describe(
          'A field of the hash, or a property of the JSON object (user.id: a nested one).',
        ),
        unit: z
          .enum(['s', 'ms', 'iso'])
          .optional()
          .describe('How a time is written: Unix seconds (without it), Unix milliseconds, or ISO 8601.'),
        format: z.enum(['text', 'json']).optional().describe('What the field contains; text without it.'),
      }),
      z.strictObject({
        member: z
          .enum(['text', 'token', 'key'])
          .describe('What each member is: a text, the token, or the complete key.'),
      }),
      z.strictObject({ value: z.enum(['text', 'json']).describe('The complete value, as text or JSON.') }),
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
  examples: listOf(
    z.string({ error: 'a key as the application writes it' }).min(1).max(4096),
    'a list of keys',
    20,
  )
    .optional()
    .describe('Keys as the application writes them; each must belong to the family.'),
  guarded: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('Only administrators may invalidate it. Without it: as its role says.'),
};
export const familyInFile = mapping(familyShape);
export type FamilyInFile = z.output<typeof familyInFile>;
export type GrammarInFile = z.output<typeof grammar>;
export type TtlInFile = z.output<typeof ttl>;

const factName = text('the name of a fact, such as slug', /^[a-z][A-Za-z0-9]{0,39}$/u);
const factParams = z.record(paramName, factName, { error: 'a mapping from parameters to id or a fact' });
const lookup = mapping({
  family: familyName.describe('The family of the key that has it.'),
  params: factParams.describe('Every parameter of that family → id, or a fact declared before.'),
  field: fieldName.describe('The field of that key.'),
}).describe('Where it is read when it was not given: a field of another key.');
const fact = mapping({
  title: shortText.optional().describe('Its name on pages. Without it: the fact in words.'),
  hint: shortText.optional().describe('What to enter.'),
  list: z.boolean({ error: 'true or false' }).optional().describe('It has several values.'),
  lookup: lookup.optional(),
});

const BRANCH_HELP = '{ family: product, params: { id: id } } or { id: lists, prefix: "products:" }';
const branch = z
  .union(
    [
      z.strictObject({
        id: familyId.optional().describe('Names the branch. Without it: the id of the family.'),
        title: shortText.optional().describe('Its name on pages. Without it: the id in words.'),
        family: familyName.describe('The family whose keys are stale.'),
        params: factParams
          .optional()
          .describe('Parameter of the family → id, or a fact. Others may have any value.'),
        each: factName.optional().describe('The list whose values are a branch each.'),
        wider: z.boolean().optional().describe('Without its fact: all keys of the family, instead of none.'),
      }),
      z.strictObject({
        id: familyId.describe('Names the branch.'),
        title: shortText.optional().describe('Its name on pages. Without it: the id in words.'),
        prefix: text('the beginning of keys, two bytes or more', /^[\s\S]{2,512}$/u, 512).describe(
          'What the keys that are stale begin with.',
        ),
      }),
    ],
    { error: BRANCH_HELP },
  )
  .describe('Keys that are stale when the entity changes.');

export const entityInFile = mapping({
  kind: text('a kind in kebab-case, such as product', KEBAB, 40).describe(
    'What your users call one of them.',
  ),
  title: shortText.optional().describe('Its name on pages. Without it: the kind in words.'),
  id: grammar.optional().describe('What its id looks like. Without it: decimal digits.'),
  facts: z
    .record(factName, fact, { error: 'a mapping of facts' })
    .optional()
    .describe('What may be known beside its id.'),
  branches: listOf(branch, 'a list of at most 100 branches')
    .min(1, { error: 'at least one branch' })
    .describe('The keys that are stale when it changes.'),
});
export type EntityInFile = z.output<typeof entityInFile>;

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
export type CatalogInFile = z.output<typeof catalogFile>;

/** The JSON Schema of a catalog file (draft 2020-12), for editors. */
export const catalogSchema = (): unknown => ({
  $id: 'catalog.schema.json',
  title: 'Keyward catalog',
  description: "A team's own catalog: the families of its keys, and what they are to the console.",
  ...z.toJSONSchema(catalogFile, { io: 'input' }),
});
