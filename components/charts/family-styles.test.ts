import { expect, it } from 'vitest';
import { familyStyles } from './family-styles';

const families = (...ids: string[]) => ids.map((family) => ({ family, cache: !family.startsWith('state') }));

it('gives a family the same style whatever the order of the answer, and each of 28 another one', () => {
  const ids = Array.from({ length: 28 }, (_, i) => `f${String(i).padStart(2, '0')}`);
  const styles = familyStyles(families(...ids));
  expect(familyStyles(families(...ids.toReversed()))).toEqual(styles);
  expect(new Set([...styles.values()].map((style) => JSON.stringify(style))).size).toBe(28);
});

it('counts caches first, so other families do not take their colours', () => {
  expect(familyStyles(families('state-a', 'b')).get('b')).toEqual(familyStyles(families('b')).get('b'));
});
