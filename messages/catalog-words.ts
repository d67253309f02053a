/** What the catalog, rules and features are worded in: titles, purposes, and what a rule says. */
const WORDED = new Set(['title', 'purpose', 'hint', 'familyTitle', 'why', 'how', 'remedy']);
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
  'rules',
  'operations',
];

type WordOf = (english: string) => string;

/** A hint to the ids of a kind: what an id is, or what each part of `{user}:{topic}` is. */
const hintInWords = (hint: string, wordOf: WordOf): string =>
  hint
    .split(/(\}, |; )/)
    .map(wordOf)
    .join('');

const ofCatalog = (facts: object): boolean => OF_CATALOG.some((name) => name in facts);

/** A text of an answer, in other words where it is the catalog's. */
const textInWords = (name: string, text: string, around: Record<string, unknown>, wordOf: WordOf): string => {
  if (name === 'idHint') return hintInWords(text, wordOf);
  // Suggestions of the command line, and audit entries: targets of other actions have names of their owners.
  const isFamily =
    (name === 'summary' && around.kind === 'family') ||
    (name === 'targetName' && /^(families|keys|conventions)\./.test(String(around.action)));
  return isFamily || (WORDED.has(name) && ofCatalog(around)) ? wordOf(text) : text;
};

/**
 * An answer of the interface with the catalog's words as `wordOf` has them. A team's own titles stay, unless they are
 * the same as one of a known application.
 */
export const withCatalogWords = (answer: unknown, wordOf: WordOf): unknown => {
  if (Array.isArray(answer))
    return typeof answer[0] === 'object' ? answer.map((each) => withCatalogWords(each, wordOf)) : answer;
  if (typeof answer !== 'object' || answer === null) return answer;
  const around = answer as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(around).map(([name, value]) => {
      if (name === 'facts' && Array.isArray(value) && typeof value[0] === 'string')
        return [name, value.map(wordOf)];
      if (typeof value === 'string') return [name, textInWords(name, value, around, wordOf)];
      return [name, withCatalogWords(value, wordOf)];
    }),
  );
};
