import type { Result } from '@/lib/contract';
import type { DiffLine, envContracts, Variable } from '@/lib/env/schema';

/** A variable as the list returns it, with a test's own values. */
export const variable = (change: Partial<Variable> & { name: string }): Variable => ({
  category: 'other',
  secret: change.secretBy != null,
  secretBy: null,
  kind: 'text',
  value: change.secretBy ? null : 'x',
  lengthBytes: 8,
  type: 'string',
  ttlSeconds: null,
  problems: [],
  etag: 'etag-of-the-list',
  updatedAt: null,
  updatedBy: null,
  ...change,
});

export const listOf = (
  variables: Variable[],
  missing: Result<typeof envContracts.list>['missing'] = [],
): Result<typeof envContracts.list> => ({
  groups: [...new Set(variables.map(({ category }) => category))].map((category) => ({
    category,
    variables: variables.filter((variable) => variable.category === category),
  })),
  missing,
  total: variables.length,
  indexedAt: new Date().toISOString(),
  complete: true,
});

/** The result of a change of one variable. */
export const changed = (name: string) => ({
  name,
  etag: 'etag-of-the-change',
  problems: [],
  auditId: 'audit-1',
  undoUntil: new Date(Date.now() + 3_600_000).toISOString(),
});

/** One line of the plan of an import or a restore. */
export const diffLine = (change: Partial<DiffLine> & Pick<DiffLine, 'change' | 'name'>): DiffLine => ({
  secret: false,
  before: null,
  after: null,
  problems: [],
  ...change,
});

/** The plan or result of an import or a restore, with the server's counts. */
export const planOf = (diff: DiffLine[], dryRun = true): Result<typeof envContracts.import> => {
  const count = (change: DiffLine['change']) => diff.filter((line) => line.change === change).length;
  return {
    dryRun,
    diff,
    created: count('create'),
    updated: count('update'),
    deleted: count('delete'),
    unchanged: count('same'),
    refused: count('refused'),
    etag: 'etag-of-the-diff',
    auditId: dryRun ? null : 'audit-1',
    undoUntil: null,
  };
};
