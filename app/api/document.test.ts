import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTypes, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { allContracts } from '@/lib/domains/all';
import { openApi } from '@/lib/http/openapi';

const packages = join(import.meta.dirname, '../../node_modules');
const TSC = join(packages, 'typescript/bin/tsc');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyward-openapi-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a program printed, whether it succeeded or not. */
const printed = (program: string, args: string[]): Promise<string> =>
  promisify(execFile)(process.execPath, [program, ...args], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => stdout || stderr,
  );

it('passes the ecosystem’s linter without an error or a warning', { tags: ['long'] }, async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(openApi(allContracts, '')), config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

const CLIENT = `
import type { operations, paths } from './types';
type Page<Id extends keyof operations> = operations[Id] extends
  { responses: { 200: { content: { 'application/json': infer Answer } } } } ? Answer : never;
export const next: string | null = ({} as Page<'users.list'>).nextCursor;
export const counts: number | undefined = ({} as Page<'sessions.stats'>).byState?.ghost;
export const input: operations['flags.list']['parameters']['query'] = { limit: 10, cursor: next ?? undefined };
export const path: keyof paths = '/api/v1/connections/{connection}/flags';
// @ts-expect-error A flag has no such field.
export const none = ({} as Page<'flags.list'>).items[0]?.nonsense;
`;

it('gives clients types, without complaint and as they are declared', { tags: ['long'] }, async () => {
  const complaints = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  const types = astToString(await openapiTypes(JSON.stringify(openApi(allContracts, ''))));
  for (const complaint of complaints) expect(complaint.mock.calls).toEqual([]);
  await writeFile(join(folder, 'types.d.ts'), types);
  await writeFile(join(folder, 'client.ts'), CLIENT);
  expect(await printed(TSC, ['--noEmit', '--strict', '--target', 'es2022', 'types.d.ts', 'client.ts'])).toBe(
    '',
  );
});
