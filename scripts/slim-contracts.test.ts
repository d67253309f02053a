import { describe, expect, it } from 'vitest';
import slimContracts from './slim-contracts.cjs';

const SOURCE = `
import { z } from 'zod';
import { contract } from '@/lib/contract';
export const KINDS = ['a', 'b'] as const;
const row = z.object({ kind: z.enum(KINDS).meta({ description: 'Which (input: all).' }) });
export type Row = z.output<typeof row>;
export const contracts = {
  list: contract({
    id: 'rows.list',
    method: 'GET',
    path: '/rows',
    permission: 'view',
    summary: 'All rows, } too.',
    input: z.strictObject({ input: z.string(), summary: contract({ id: 'x', input: z.string() }) }),
    result: z.array(row),
    stream: true,
  }),
};
`;

describe('a contract in the browser', () => {
  const slim = slimContracts(SOURCE);

  it('keeps what a request needs, and nothing that the server validates by', () => {
    expect(slim.replaceAll('/*#__PURE__*/ ', '')).toContain(`  list: contract({
    id: 'rows.list',
    method: 'GET',
    path: '/rows',
    permission: 'view',
    stream: true,
  }),`);
  });

  it('has schemas without their texts, which the minifier may drop', () => {
    expect(slim).toContain('const row = /*#__PURE__*/ z.object({ kind: /*#__PURE__*/ z.enum(KINDS) });');
    expect(slim).toContain("export const KINDS = ['a', 'b'] as const;");
  });
});
