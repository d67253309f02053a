import { z } from 'zod';
import {
  familyId,
  familyName,
  fieldName,
  grammar,
  KEBAB,
  listOf,
  mapping,
  paramName,
  shortText,
  text,
} from './fields';

const kind = text('a kind in kebab-case, such as product', KEBAB, 40);
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
      mapping({
        id: familyId.optional().describe('Names the branch. Without it: the id of the family.'),
        title: shortText.optional().describe('Its name on pages. Without it: the id in words.'),
        family: familyName.describe('The family whose keys are stale.'),
        params: factParams
          .optional()
          .describe('Parameter of the family → id, or a fact. Others may have any value.'),
        each: factName.optional().describe('The list whose values are a branch each.'),
        wider: z.boolean().optional().describe('Without its fact: all keys of the family, instead of none.'),
      }),
      mapping({
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

const sourceParams = z
  .record(paramName, factName, { error: 'a mapping from parameters to id, a part of the pair or alias' })
  .describe('Each parameter of the family → id, the name of a part of the pair, or alias.');
const sourceShape = { family: familyName.describe('The family of the keys.'), params: sourceParams };
const SOURCE_HELP = '{ family: user, params: { id: id } }';
const source = mapping(sourceShape, SOURCE_HELP);
const sources = listOf(source, `a list of ${SOURCE_HELP}`, 20);

const pair = mapping({
  names: z
    .tuple([factName, factName], { error: 'the names of both parts, such as [user, group]' })
    .describe('The names of the parts, by which keys name them.'),
  separator: text('what separates the parts, such as "_"', /^[\s\S]{1,20}$/u, 20).describe(
    'What separates them: an id is split at the first one.',
  ),
  unordered: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('The order means nothing: 4_1 and 1_4 are one.'),
  grammars: z
    .tuple([grammar, grammar], { error: 'what both parts look like, such as [digits, text]' })
    .optional()
    .describe('What the parts look like. Without it: any text.'),
}).describe('Its id has two parts, such as 1_4 for the chat of two users.');

const record = mapping({
  keys: sources.describe('The keys that may hold it. The first that exists counts.'),
  alias: mapping({
    family: familyName.describe('The family of that key. Its parameter is sensitive.'),
    param: paramName.describe('Its parameter.'),
    fields: listOf(fieldName, 'a list of fields', 5).describe('The fields that are its value, joined.'),
  })
    .optional()
    .describe('Another key of the same record, named by fields of it, which is a secret.'),
  title: listOf(fieldName, 'a list of fields', 5)
    .optional()
    .describe('Fields by which people know it: the first that is not empty. They are searched.'),
  idField: fieldName.optional().describe('The field that repeats the id.'),
  lookups: listOf(
    mapping({
      family: familyName.describe('The family of strings under another name.'),
      param: paramName.describe('Its parameter.'),
    }),
    'a list of { family, param }',
    5,
  )
    .optional()
    .describe('Strings under another name, such as a slug: the id, or a JSON object with idField.'),
}).describe('What is stored of the entity itself: a hash, or a JSON object in a string.');

const FROM_HELP =
  '{ members: [{ family, params }] }, { field: owner }, { parts: [user] }, { memberOf: { family, params } } or { keys: [{ family, params, names }] }';
const from = z
  .union(
    [
      mapping({
        members: sources.describe('Elements of sets, sorted sets, lists or JSON arrays.'),
      }),
      mapping({ field: fieldName.describe('A field of the record: the id of one entity.') }),
      mapping({
        parts: listOf(factName, 'a list of parts', 2).describe(
          'Parts of the pair: the id of one entity each.',
        ),
      }),
      mapping({ memberOf: source.describe('Whether the id is a member of this set.') }),
      mapping({
        keys: listOf(
          mapping({
            ...sourceShape,
            names: sourceParams.describe('Parameter → id, or a part of the pair, of the other kind.'),
          }),
          'a list of { family, params, names }',
          20,
        ).describe('Keys whose other parameters are free, found by scanning.'),
      }),
    ],
    { error: FROM_HELP },
  )
  .describe('Where it is stored.');

const relation = mapping({
  id: familyId.describe('Names the relation within the entity, in kebab-case.'),
  title: shortText.optional().describe('Its name on pages. Without it: the id in words.'),
  kind: kind
    .optional()
    .describe('The kind of this file that it leads to. Without it its elements are words.'),
  from,
  inverse: familyId.optional().describe('The relation of that kind which leads back.'),
  countField: fieldName.optional().describe('The field of the record that counts it.'),
});

const conversation = mapping({
  keys: listOf(
    mapping({
      ...sourceShape,
      sender: factName.optional().describe('The part of the pair that wrote everything in this key.'),
    }),
    'a list of { family, params }',
    20,
  ).describe('Lists of texts, or sorted sets of the ids of messages.'),
  text: listOf(
    z.enum(['sender', 'time', 'content'], { error: 'sender, time or content' }),
    'a list of parts',
    3,
  )
    .optional()
    .describe('Parts of a text, separated by |, content last: [time, content].'),
  message: mapping({
    keys: sources.describe('The hashes of messages, by id.'),
    sender: fieldName.describe('The field with the sender.'),
    time: fieldName.describe('The field with the time.'),
    otherTime: fieldName.optional().describe('The field with the time where the first is missing.'),
    content: fieldName.describe('The field with the text.'),
  })
    .optional()
    .describe('Hashes of messages whose ids are the members.'),
  senderKind: kind.optional().describe('The kind of a sender that is an id.'),
  members: familyId.optional().describe('The relation that lists the members.'),
}).describe('The messages of a chat or a room.');

export const entityInFile = mapping({
  kind: kind.describe('What your users call one of them.'),
  title: shortText.optional().describe('Its name on pages. Without it: the kind in words.'),
  id: grammar.optional().describe('What its id looks like. Without it: decimal digits.'),
  pair: pair.optional(),
  facts: z
    .record(factName, fact, { error: 'a mapping of facts' })
    .optional()
    .describe('What may be known beside its id.'),
  branches: listOf(branch, 'a list of at most 100 branches')
    .optional()
    .describe('The keys that are stale when it changes. Without it nothing invalidates it.'),
  record: record.optional(),
  relations: listOf(relation, 'a list of at most 50 relations', 50)
    .optional()
    .describe('What belongs to it: members, fields and keys that lead to others.'),
  conversation: conversation.optional(),
  keys: sources.optional().describe('Further keys about it.'),
});
export type EntityInFile = z.output<typeof entityInFile>;
