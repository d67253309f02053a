import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { may, ROLES } from '@/lib/permissions';
import { filesUnder } from '@/scripts/files-under.mjs';
import { contractsByName } from '@/scripts/testing/contracts-by-name';
import { PAGES } from './shell/pages';

const SHARED = /'@\/components\/patterns\/([\w-]+)'/g;

const files = [...filesUnder('components'), ...filesUnder('app')].filter((file: string) =>
  /(?<!\.test)\.tsx?$/.test(file),
);
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const sourceOf = (isOf: (file: string, source: string) => boolean): string =>
  [...sources].flatMap(([file, source]) => (isOf(file, source) ? [source] : [])).join('\n');

/** What a folder is made of: its own files, and the shared ones that they use. */
const sourceOfFolder = (folder: string): string => {
  const own = sourceOf((file) => file.startsWith(`components/${folder}/`));
  const shared = new Set([...own.matchAll(SHARED)].map(([, name]) => name));
  return own + sourceOf((file) => /^components\/patterns\//.test(file) && shared.has(file.split(/[/.]/)[2]));
};

it('offers each operation behind its own permission: the folder asks for it, or the page that shows it', async () => {
  const contracts = await contractsByName();
  expect(contracts.length).toBeGreaterThan(150);
  const folders = new Set(files.map((file) => /^components\/([\w-]+)\//.exec(file)?.[1]));
  const unasked = [...folders].flatMap((folder) => {
    if (!folder || folder === 'patterns') return [];
    const source = sourceOfFolder(folder);
    const around = sourceOf(
      (file, text) => file.startsWith('app/') && text.includes(`components/${folder}/`),
    );
    const asked = new Set<string>([
      ...[...(source + around).matchAll(/['"](\w+:\w+)['"]/g)].map(([, permission]) => permission!),
      ...PAGES.filter(({ id }) => id === folder).map(({ permission }) => permission),
    ]);
    return contracts
      .filter(([name]) => new RegExp(`\\b${name.replace('.', '\\.')}\\b(?!\\.)`).test(source))
      .filter(([, { permission }]) => permission.includes(':') && !asked.has(permission))
      .map(([name, { permission }]) => `${folder}: ${name} needs ${permission}`);
  });
  // Offered to those with `keys:write`, who may do these too.
  for (const role of ROLES) expect(!may(role, 'keys:write') || may(role, 'caches:invalidate')).toBe(true);
  const ofKeys = ['preview', 'invalidate', 'setTtl'].map(
    (id) => `keys: familyContracts.${id} needs caches:invalidate`,
  );
  expect(unasked).toEqual(ofKeys);
});
