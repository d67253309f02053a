import { expect, it } from 'vitest';
import { touchedBy } from '@/lib/contract';
import { flagContracts } from '@/lib/flags/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { readAllQuery, readQuery } from './read-query';

it('names an answer by its operation, connection and input', () => {
  const { queryKey } = readQuery(flagContracts.history, 'main', { name: 'a' });
  expect(queryKey).toEqual(['flags.history', 'main', { name: 'a' }]);
  expect(readAllQuery(flagContracts.list, 'main').queryKey).toEqual(['flags.list', 'main', {}]);
  expect(readQuery(jobContracts.get, null, { jobId: 'j' }).queryKey).toEqual(['jobs.get', { jobId: 'j' }]);
});

it('names it so that a change of its connection alone refetches it', () => {
  const { queryKey } = readQuery(flagContracts.history, 'main', { name: 'a' });
  const [operation, of] = queryKey;
  expect(touchedBy(flagContracts.set, operation, of, 'main')).toBe(true);
  expect(touchedBy(flagContracts.set, operation, of, 'other')).toBe(false);
});
