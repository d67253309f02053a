'use client';

import { useMemo } from 'react';
import { english, useSentences } from './use-sentences';

const WORDS = new Set(['title', 'purpose', 'hint']);

const translated = (facts: unknown, translate: (text: string) => string): unknown => {
  if (Array.isArray(facts)) return facts.map((each) => translated(each, translate));
  if (typeof facts !== 'object' || facts === null) return facts;
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' && WORDS.has(name) ? translate(value) : translated(value, translate),
    ]),
  );
};

/**
 * What the catalog says of families and entities, with the titles and purposes of the known applications in the reader's
 * language. Those of a team's own catalog stay as the team wrote them.
 */
export const useCatalogWords = <T>(facts: T): T => {
  const translate = useSentences();
  return useMemo(
    () => (translate === english ? facts : (translated(facts, translate) as T)),
    [facts, translate],
  );
};
