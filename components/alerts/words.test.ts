import { expect, it } from 'vitest';
import { limitOf } from './words';

it.each([
  [{ condition: 'above', value: 0.07, unit: 'ratio' }, 'above 7%'],
  [{ condition: 'change', value: -20, unit: 'percent' }, 'change -20%'],
  [{ condition: 'below', value: 1.5, unit: 'count' }, 'below 1.5'],
] as const)('exports a limit as people write it: %j', (rule, text) => {
  expect(limitOf({ ...rule, windowSeconds: 600, forSeconds: 0 })).toBe(text);
});
