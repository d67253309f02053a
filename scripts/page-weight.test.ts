import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { overLimit, weighPages } from './page-weight.mjs';

/** A build of two pages that share a script; `recharts` is in that of one of them. */
const buildOf = (files: Record<string, string>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-weight-'));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write('build-manifest.json', JSON.stringify({ rootMainFiles: ['static/root.js'] }));
  for (const [file, text] of Object.entries(files)) write(`static/${file}`, text);
  const page = (route: string, entryJSFiles: Record<string, string[]>) =>
    write(
      `server/app${route}/page_client-reference-manifest.js`,
      `globalThis.__RSC_MANIFEST = globalThis.__RSC_MANIFEST || {};
       globalThis.__RSC_MANIFEST[${JSON.stringify(`${route}/page`)}] = ${JSON.stringify({ entryJSFiles })};`,
    );
  page('/(auth)/sign-in', { layout: ['static/layout.js'], page: ['static/layout.js'] });
  page('/(console)/rates', { layout: ['static/layout.js'], page: ['static/layout.js', 'static/rates.js'] });
  return folder;
};

/** Text that gzip cannot shorten much. */
const noise = (bytes: number) =>
  randomBytes(bytes)
    .toString('latin1')
    .replace(/[^!-~]/g, '');

const ROOT = noise(4000);
const RATES = `${noise(1000)}\n${noise(9000)}`;
const map = {
  version: 3,
  sources: ['turbopack:///[project]/components/a.tsx', 'turbopack:///[project]/node_modules/recharts/b.js'],
  // Line 1 from its beginning is of the first source, line 2 of the next.
  mappings: 'AAAA;ACAA',
};

describe('the weight of a page', () => {
  const folder = buildOf({
    'root.js': ROOT,
    'layout.js': 'layout();',
    'rates.js': `${RATES}\n//# sourceMappingURL=rates.js.map`,
    'rates.js.map': JSON.stringify(map),
  });
  const pages = weighPages(folder);
  const pageOf = (route: string) => pages.find((page) => page.route === route)!;

  it('counts each script once, with those of every page', () => {
    expect(pageOf('/(auth)/sign-in').files).toEqual(['static/root.js', 'static/layout.js']);
    expect(pageOf('/(console)/rates').files).toHaveLength(3);
    expect(pageOf('/(console)/rates').bytes).toBeGreaterThan(pageOf('/(auth)/sign-in').bytes);
  });

  it('knows what limit a page has, and names its modules, the heaviest first', () => {
    expect(pageOf('/(auth)/sign-in').kind).toBe('sign-in');
    const { kind, heaviest } = pageOf('/(console)/rates');
    expect(kind).toBe('with charts');
    expect(heaviest.slice(0, 1).map(([name]) => name)).toEqual(['recharts']);
    expect(heaviest.map(([name]) => name)).toContain('components/a.tsx');
  });

  it('is over its limit in one line per page, followed by modules', () => {
    const limits = { 'sign-in': 100, 'set-up': 100, 'without charts': 100, 'with charts': 1 };
    const [line, ...others] = overLimit(pages, limits);
    expect(others).toEqual([]);
    expect(line).toMatch(
      /^\/\(console\)\/rates: [\d.]+ KB, limit 1 KB with charts\n {4}[\d.]+ KB recharts\n/,
    );
  });
});
