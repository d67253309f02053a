import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { APP_IDS } from '@/lib/apps';
import { problemText } from '../own/problems';
import { readCatalogText } from '../own/read';
import { checkTogether } from '../own/together';

it.each(APP_IDS)('%s has a catalog that a team could have written', (app) => {
  const name = `${app}.yaml`;
  const file = readCatalogText(name, readFileSync(join(import.meta.dirname, name), 'utf8'));
  checkTogether([file], []);
  expect(file.text.problems.map(problemText)).toEqual([]);
  expect(file.app).toBe(app);
});
