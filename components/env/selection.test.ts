import { describe, expect, it } from 'vitest';
import { CATEGORIES, type Variable } from '@/lib/env/schema';
import { countsOf, selectGroups, shownOf, type VariableList } from './selection';

const variable = (name: string, rest: Partial<Variable> = {}): Variable => ({
  name,
  category: 'other',
  secret: false,
  secretBy: null,
  kind: 'text',
  value: 'x',
  lengthBytes: 1,
  type: 'string',
  ttlSeconds: null,
  problems: [],
  etag: name,
  updatedAt: null,
  updatedBy: null,
  ...rest,
});

const list: VariableList = {
  groups: [
    { category: 'other', variables: [variable('LAST', { value: 'Mail me' })] },
    {
      category: 'database',
      variables: [
        variable('DB_URL', { secret: true, value: null }),
        variable('DB_PORT', { problems: [{ code: 'value', message: 'Not an integer.' }] }),
      ],
    },
  ],
  missing: [{ name: 'ELASTICSEARCH_URL', category: 'search' }],
  total: 3,
  indexedAt: new Date(0).toISOString(),
  complete: true,
};

const names = (q: string, shown: 'all' | 'secret' | 'problems' | 'missing' = 'all') =>
  selectGroups(list, CATEGORIES, { q, shown }).map((group) => [
    group.category,
    ...group.variables.map(({ name }) => name),
    ...group.missing.map(({ name }) => `-${name}`),
  ]);

describe('what is shown of the list', () => {
  it('stands in the order of the categories, the missing ones among them', () => {
    expect(names('')).toEqual([
      ['database', 'DB_URL', 'DB_PORT'],
      ['search', '-ELASTICSEARCH_URL'],
      ['other', 'LAST'],
    ]);
  });

  it('is searched by name and by what is shown, and never finds anything in a secret', () => {
    expect(names('mail')).toEqual([['other', 'LAST']]);
    expect(names(' db_ ')).toEqual([['database', 'DB_URL', 'DB_PORT']]);
    expect(names('null')).toEqual([]);
  });

  it('is one part of it, each with its count', () => {
    expect(names('', 'secret')).toEqual([['database', 'DB_URL']]);
    expect(names('', 'problems')).toEqual([['database', 'DB_PORT']]);
    expect(names('', 'missing')).toEqual([['search', '-ELASTICSEARCH_URL']]);
    expect(countsOf(list)).toEqual({ all: 3, secret: 1, problems: 1, missing: 1 });
    expect([shownOf('missing'), shownOf('<x>')]).toEqual(['missing', 'all']);
  });
});
