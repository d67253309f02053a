import type { Family, RelatedFamily } from './family';

type Source = Pick<Family, 'id' | 'related'>;

const sameParams = (a: RelatedFamily, b: RelatedFamily): boolean =>
  Object.keys(a.params).length === Object.keys(b.params).length &&
  Object.entries(a.params).every(([name, from]) => b.params[name] === from);

/**
 * Why a relation is refused: it leads from each key to itself, or is duplicated. Two families may relate to each
 * other, because relations are followed one step at a time.
 */
export const relationFault = (source: Source, related: RelatedFamily): string | null => {
  const isItself = Object.entries(related.params).every(([name, from]) => name === from);
  if (related.family === source.id && isItself) return 'a key is not related to itself';
  const same = (source.related ?? []).filter(
    (other) => other.family === related.family && sameParams(other, related),
  );
  return same.length > 1 ? 'the relation is there twice' : null;
};
