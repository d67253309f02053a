import { expect, it } from 'vitest';
import { touchedBy } from '@/lib/contract';
import { keyContracts } from './schema';

const touches = (name: keyof typeof keyContracts, operation: string): boolean =>
  touchedBy(keyContracts[name], operation, 'main', 'main');

it('recounts the groups of keys, a scan, only when keys come or go', () => {
  expect(touches('update', 'keys.get')).toBe(true);
  expect(touches('update', 'keys.groups')).toBe(false);
  expect(touches('delete', 'keys.groups')).toBe(true);
  expect(touches('create', 'families.list')).toBe(true);
});

it('reads nothing again after keys were only read', () => {
  for (const name of ['reveal', 'export'] as const) expect(touches(name, 'keys.get')).toBe(false);
});
