import { execFileSync } from 'node:child_process';
import { join, matchesGlob } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

interface Config {
  test: { projects: { test: { include: string[] } }[] };
}

it('runs every test file of the repository', async () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.test.*'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const { default: config }: { default: Config } = await import(join(ROOT, 'vitest.config.mts'));
  const globs = config.test.projects.flatMap(({ test }) => test.include);
  const files = listed.trim().split('\n');
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => !globs.some((glob) => matchesGlob(file, glob)))).toEqual([]);
});
