import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { problemText } from '../own/problems';
import { readCatalogText } from '../own/read';
import { checkTogether } from '../own/together';

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.yaml'));

it.each(files)('%s is a catalog that a team could have written', (name) => {
  const file = readCatalogText(name, readFileSync(join(import.meta.dirname, name), 'utf8'));
  checkTogether([file], []);
  expect(file.text.problems.map(problemText)).toEqual([]);
  expect(`${file.app}.yaml`).toBe(name);
});
