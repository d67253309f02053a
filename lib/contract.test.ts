import { expect, it } from 'vitest';
import { touchedBy } from './contract';

it.each([
  // All of its own domain by default, on its own connection.
  [{ id: 'flags.set' }, 'flags.history', 'main', true],
  [{ id: 'flags.set' }, 'flags.history', 'other', false],
  [{ id: 'flags.set' }, 'env.list', 'main', false],
  // No other domain whose name begins alike.
  [{ id: 'views.set' }, 'viewsOf.top', 'main', false],
  // Operations by name, and those of the console, which belong to no connection.
  [{ id: 'locks.release', touches: ['locks', 'overview.get'] }, 'overview.get', 'main', true],
  [{ id: 'catalog.infer', touches: ['jobs.list'] }, 'jobs.list', '', true],
  [{ id: 'catalog.infer', touches: ['jobs.list'] }, 'jobs.get', '0190', false],
  [{ id: 'diagnostics.key', touches: [] }, 'diagnostics.get', 'main', false],
  [{ id: 'flags.set' }, 7, 'main', false],
] as const)('%j touches %s of %s: %s', (contract, operation, of, touched) => {
  expect(touchedBy(contract, operation, of, 'main')).toBe(touched);
});
