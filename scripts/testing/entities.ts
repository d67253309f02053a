import type { EntityKindRow, EntityRef, EntityView, RelationView } from '@/lib/entities/schema';

const APP = 'minidouyin';

/** Kinds of the entity explorer, for component tests: one title occurs in two applications. */
export const KIND_ROWS: EntityKindRow[] = [
  {
    kind: 'user',
    app: APP,
    title: 'User',
    ref: 'minidouyin.user',
    record: true,
    conversation: false,
    idHint: 'decimal digits',
    relations: [
      { relation: 'follows', title: 'Follows', families: ['minidouyin.follows'] },
      { relation: 'followers', title: 'Followers', families: ['minidouyin.followers'] },
    ],
    checkNeeds: [],
    familyChecks: ['minidouyin.follows', 'minidouyin.followers'].map((family) => ({
      family,
      checkNeeds: [],
    })),
  },
  {
    kind: 'user',
    app: 'qianxun',
    title: 'User',
    ref: 'qianxun.user',
    record: true,
    conversation: false,
    idHint: 'any text',
    relations: [],
    checkNeeds: null,
    familyChecks: [],
  },
  {
    kind: 'chat',
    app: APP,
    title: 'Chat',
    ref: 'minidouyin.chat',
    record: false,
    conversation: true,
    idHint: '1_4',
    relations: [],
    checkNeeds: null,
    familyChecks: [],
  },
];

/** A stored user, an element of a relation. */
export const refOf = (id: string, change: Partial<EntityRef> = {}): EntityRef => ({
  kind: 'user',
  app: APP,
  id,
  title: null,
  exists: true,
  score: null,
  linkable: true,
  self: false,
  ...change,
});

/** A set of users without damage. */
export const relationOf = (relation: string, change: Partial<RelationView> = {}): RelationView => ({
  relation,
  title: relation,
  family: `minidouyin.${relation}`,
  keyId: `key-of-${relation}`,
  key: `${relation}_4`,
  kind: 'user',
  app: APP,
  type: 'set',
  count: 0,
  counted: null,
  scanned: false,
  problem: null,
  first: [],
  nextCursor: null,
  ...change,
});

const RECORD_KEY = { family: 'minidouyin.user', key: '4', keyId: 'key-of-the-record' };

/** A user without damage. */
export const entityOf = (change: Partial<EntityView> = {}): EntityView => ({
  kind: 'user',
  app: APP,
  id: '4',
  title: 'toni',
  exists: true,
  record: {},
  fields: [],
  moreFields: false,
  recordKey: RECORD_KEY,
  problems: [],
  relations: [],
  dangling: [],
  oneSided: [],
  checked: { references: 0, complete: true },
  keys: [{ ...RECORD_KEY, title: 'Users', exists: true, type: 'hash', ttlSeconds: 7200 }],
  online: null,
  conversation: false,
  sessions: false,
  invalidates: [],
  ...change,
});

/** A field of a record with plain text. */
export const fieldOf = (
  name: string,
  value: string | null,
  change: Partial<EntityView['fields'][number]> = {},
): EntityView['fields'][number] => ({
  name,
  value,
  masked: false,
  truncated: false,
  time: null,
  ref: null,
  ...change,
});
