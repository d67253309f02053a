/** What the catalog is worded in: titles of families, entities, facts, branches and relations, and purposes. */
const WORDED = new Set(['title', 'purpose', 'hint', 'familyTitle']);
/** What only objects about those have: a title without one of these is somebody's data. */
const OF_CATALOG = [
  'family',
  'familyTitle',
  'families',
  'pattern',
  'ref',
  'facts',
  'branches',
  'target',
  'from',
  'wider',
  'hint',
  'totalMicros',
];

type WordOf = (english: string) => string;

const ofCatalog = (facts: object): boolean => OF_CATALOG.some((name) => name in facts);

/**
 * An answer of the interface with the catalog's words as `wordOf` has them. A team's own titles stay, unless they are
 * the same as one of a known application.
 */
export const withCatalogWords = (answer: unknown, wordOf: WordOf): unknown => {
  if (Array.isArray(answer))
    return typeof answer[0] === 'object' ? answer.map((each) => withCatalogWords(each, wordOf)) : answer;
  if (typeof answer !== 'object' || answer === null) return answer;
  const isWorded = ofCatalog(answer);
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => {
      if (name === 'facts' && Array.isArray(value) && typeof value[0] === 'string')
        return [name, value.map(wordOf)];
      if (isWorded && typeof value === 'string' && WORDED.has(name)) return [name, wordOf(value)];
      return [name, withCatalogWords(value, wordOf)];
    }),
  );
};
