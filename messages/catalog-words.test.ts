import { expect, it } from 'vitest';
import { withCatalogWords } from './catalog-words';
import { loadWords } from './load';

it.each([
  ['a family', { family: 'a.b', title: 'Authors', purpose: 'Views of a publication.', keys: 2 }],
  ['a documented family', { id: 'a.b', pattern: 'b:{id}', title: 'Authors', purpose: 'About a topic.' }],
  [
    'a kind',
    { kind: 'author', ref: 'a.author', title: 'Author', facts: [{ name: 'x', title: 'Slug', hint: null }] },
  ],
  ['a relation', { relation: 'followers', family: null, title: 'Followers', first: [] }],
  ['a branch', { id: 'x', title: 'Followers', wider: false }],
  ['the family of a channel', { channel: 'c', familyTitle: 'Reactions' }],
  ['an audit entry of a family', { action: 'families.setTtl', targetName: 'Authors' }],
  ['a suggestion of the command line', { kind: 'family', summary: 'Authors' }],
  [
    'a rule',
    {
      id: 'ttl-required',
      title: 'Every key expires',
      remedy: 'Write the marker with a short TTL.',
      families: [],
    },
  ],
  ['a point of a checklist', { id: 'ttl', title: 'Every key has a TTL', rules: [] }],
  ['a feature', { id: 'slowlog', title: 'Slow log', use: 'read', operations: [] }],
  ['a hint to ids', { kind: 'x', idHint: 'decimal digits' }],
  ['facts by their titles', { kind: 'author', title: 'Author', facts: ['Slug'] }],
])('has %s in the language of the reader', async (_what, facts) => {
  const translated = JSON.stringify(withCatalogWords({ items: [facts] }, await loadWords('ru')));
  expect(translated).not.toMatch(
    /"(title|purpose|familyTitle|targetName|summary|idHint|remedy)":"(?![^"]*[а-я])/,
  );
  expect(translated).not.toMatch(/\["(?![^"]*[а-я])/);
});

it.each([
  ['a user', { kind: 'author', id: '1', title: 'Authors' }],
  ['a reference on one side', { relation: 'topics', id: '1', title: 'Topics', lacks: 'authors' }],
  ['a conversation', { kind: 'chat', id: '1', title: 'Chat', members: 2 }],
  ['a project', { action: 'guard.blockProjects', targetName: 'Authors' }],
  ['a command', { kind: 'command', summary: 'Authors' }],
  ['a title of a team', { family: 'shop.order', title: 'Orders of the shop', purpose: 'Ours.' }],
  ['a value', { family: 'a.b', key: 'Authors', points: [1, 2] }],
])('leaves the name of %s', async (_what, facts) => {
  expect(withCatalogWords(facts, await loadWords('ru'))).toEqual(facts);
});

it('has a hint to the parts of an id in the language of the reader', async () => {
  const hint = {
    idHint: '{user}:{topic}: {user}, decimal digits; {topic}, text without ":" and control characters',
  };
  expect(withCatalogWords(hint, await loadWords('ru'))).toEqual({
    idHint: '{user}:{topic}: {user}, десятичные цифры; {topic}, текст без «:» и управляющих символов',
  });
});

it('is in English as the catalog has it', async () => {
  expect((await loadWords('en'))('Authors')).toBe('Authors');
});
