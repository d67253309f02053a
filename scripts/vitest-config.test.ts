import { execFileSync } from 'node:child_process';
import { join, matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import config from '../vitest.config.mts';

const ROOT = join(import.meta.dirname, '..');

it('runs every test file of the repository', () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.test.*'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const globs = (config.test?.projects ?? []).flatMap((project) =>
    typeof project === 'object' && 'test' in project ? (project.test?.include ?? []) : [],
  );
  const files = listed.trim().split('\n');
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => !globs.some((glob) => matchesGlob(file, glob)))).toEqual([]);
});
