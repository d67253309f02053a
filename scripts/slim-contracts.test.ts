import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesUnder } from './files-under.mjs';
import { ROOT } from './setup.mjs';
import slimContracts from './slim-contracts.cjs';

const SOURCE = `
import { z } from 'zod';
import { contract, LIST_BODY_BYTES as LONG, pageInput } from '@/lib/contract';
import { place, type Place } from '../places/schema';
import { trim } from './trim';
export const KINDS = ['a', 'b'] as const;
const row = z.object({ kind: z.enum(KINDS), place });
export const rows = row.array();
export type Row = z.output<typeof row>;
export const kindOf = (row: z.output<typeof rows>[0]): string => trim(row.kind);
export const contracts = {
  list: contract({
    id: 'rows.list',
    method: 'GET',
    path: '/rows',
    permission: 'view',
    summary: 'All rows, } too.',
    input: z.strictObject({ ...pageInput, summary: contract({ id: 'x', input: z.string() }) }),
    result: z.array(row),
    maxBodyBytes: LONG,
  }),
};
`;

describe('a contract in the browser', () => {
  const slim = slimContracts(SOURCE);

  it('keeps what a request needs, and nothing that the server validates by', () => {
    expect(slim).toContain(`  list: contract({
    id: 'rows.list',
    method: 'GET',
    path: '/rows',
    permission: 'view',
    maxBodyBytes: LONG,
  }),`);
  });

  it('has no schemas, and no zod', () => {
    expect(slim).not.toMatch(/'zod'|const rows?\b|pageInput|\bplace\b/);
  });

  it('keeps types, constants and functions', () => {
    expect(slim).toContain("import { contract, LIST_BODY_BYTES as LONG } from '@/lib/contract';");
    expect(slim).toContain("import { type Place } from '../places/schema';");
    expect(slim).toContain("import { trim } from './trim';");
    expect(slim).toContain("export const KINDS = ['a', 'b'] as const;");
    expect(slim).toContain('export type Row = z.output<typeof row>;');
    expect(slim).toContain(
      'export const kindOf = (row: z.output<typeof rows>[0]): string => trim(row.kind);',
    );
  });
});

const IMPORT = /^import \{([^}]+)\} from '@\/(lib\/(?:contract|[\w/-]+\/schema))';$/gm;
const EXPORT = /^export (?:const|function) (\w+)/gm;

/** `module: name` of the values that a component imports from modules of contracts. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)].flatMap(([, names, module]) =>
    names!
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => `${module}: ${name.split(' ')[0]}`),
  );

const exportsOf = (module: string): string[] => {
  const slim = slimContracts(readFileSync(join(ROOT, `${module}.ts`), 'utf8'));
  return [...slim.matchAll(EXPORT)].map(([, name]) => `${module}: ${name}`);
};

it('is all that components import of schema modules', { tags: 'long' }, () => {
  const files: string[] = filesUnder(join(ROOT, 'components'));
  const components = files.filter((file) => /(?<!\.test)\.tsx?$/.test(file));
  const imported = [...new Set(components.flatMap(importsOf))];
  const modules = [...new Set(imported.map((name) => name.split(':')[0]!))];
  const exported = new Set(modules.flatMap(exportsOf));
  expect(modules.length).toBeGreaterThan(20);
  expect(imported.filter((name) => !exported.has(name))).toEqual([]);
});
