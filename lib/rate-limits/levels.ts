import 'server-only';
import { LevelTable, type ObjectId, objectId } from './level-table';
import type { LimitSource } from './schema';
import type { Limit } from './window';

/** The three levels of limits (003, "Приоритет лимитов"), as MongoDB's collections hold them. */
export const LEVELS = ['plans', 'workspaces', 'projects'] as const;
export type LevelName = (typeof LEVELS)[number];
export type Levels = Readonly<Record<LevelName, LevelTable>>;

/** The field by which a document names the one above it. */
export const PARENT: Record<LevelName, string | null> = {
  plans: null,
  workspaces: 'tariffPlanId',
  projects: 'workspaceId',
};

export interface ResolvedLimit extends Limit {
  limitSource: LimitSource;
  periodSource: LimitSource;
}

export const noLevels = (): Levels => ({
  plans: new LevelTable(),
  workspaces: new LevelTable(),
  projects: new LevelTable(),
});

type Field = 'limit' | 'period';

/** Which level sets a field of the limit of a project's row. */
const levelOf = (levels: Levels, project: number, field: Field, fallback: number): LimitSource => {
  if (project === -1) return fallback > 0 ? 'default' : 'none';
  const { projects, workspaces, plans } = levels;
  if (projects[field](project) > 0) return 'project';
  // The collector joins workspaces with their plans: without its plan a workspace has no limit of its own either.
  const workspace = workspaces.parentOf(projects, project);
  const plan = workspace === -1 ? -1 : plans.parentOf(workspaces, workspace);
  if (plan === -1) return 'none';
  if (workspaces[field](workspace) > 0) return 'workspace';
  if (!Number.isNaN(plans[field](plan))) return 'plan';
  return fallback > 0 ? 'default' : 'none';
};

const settingOf = (
  { projects, workspaces, plans }: Levels,
  project: number,
  field: Field,
  source: LimitSource,
  fallback: number,
): number => {
  switch (source) {
    case 'none':
      return 0;
    case 'default':
      return fallback;
    case 'project':
      return projects[field](project);
  }
  const workspace = workspaces.parentOf(projects, project);
  return source === 'workspace'
    ? workspaces[field](workspace)
    : plans[field](plans.parentOf(workspaces, workspace));
};

/**
 * The limit of a project, merged per field: the plan's, then the workspace's if above 0, then the project's if above
 * 0. The default holds where no level sets it and for projects nobody knows; a project without workspace or plan has
 * none but its own. Null: what is no id.
 */
export const resolveLimit = (levels: Levels, id: ObjectId | null, defaults: Limit): ResolvedLimit => {
  const project = id === null ? -1 : levels.projects.find(id);
  const limitSource = levelOf(levels, project, 'limit', defaults.limit);
  const periodSource = levelOf(levels, project, 'period', defaults.periodSeconds);
  return {
    limit: settingOf(levels, project, 'limit', limitSource, defaults.limit),
    periodSeconds: settingOf(levels, project, 'period', periodSource, defaults.periodSeconds),
    limitSource,
    periodSource,
  };
};

/** Whether the source has this project. */
export const isKnown = (levels: Levels, id: ObjectId | null): boolean =>
  id !== null && levels.projects.find(id) !== -1;

const NO_PARENT: ObjectId = [0, 0, 0];

/** An id as Extended JSON, as the driver and as people write it. */
const idIn = (value: unknown): ObjectId | null => {
  if (typeof value === 'string') return objectId(value);
  if (typeof value !== 'object' || value === null) return null;
  const { $oid } = value as { $oid?: unknown };
  if (typeof $oid === 'string') return objectId($oid);
  const { toHexString } = value as { toHexString?: () => string };
  return typeof toHexString === 'function' ? objectId(toHexString.call(value)) : null;
};

const LONGEST_NUMBER = 40;

/** A whole number as Extended JSON or the driver gives it; NaN where it is not set, null where it is no such number. */
const wholeNumberIn = (value: unknown): number | null => {
  if (value === undefined || value === null) return Number.NaN;
  if (typeof value === 'object') {
    const { $numberInt, $numberLong, $numberDouble, _bsontype } = value as Record<string, unknown>;
    const text = $numberInt ?? $numberLong ?? $numberDouble ?? (_bsontype === 'Long' ? String(value) : null);
    if (typeof text !== 'string' || text.length > LONGEST_NUMBER || !/^-?\d+(\.0*)?$/.test(text)) return null;
    return Number(text);
  }
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
};

/**
 * Takes one document of a collection up. Answers what is wrong with it, null when nothing is; a document whose limit
 * cannot be read is kept without it.
 */
export const addDocument = (table: LevelTable, level: LevelName, document: unknown): string | null => {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return 'is no document';
  const fields = document as Record<string, unknown>;
  const id = idIn(fields._id);
  if (id === null) return 'has no _id that is an ObjectId';
  const above = PARENT[level];
  const parent = (above === null ? null : idIn(fields[above])) ?? NO_PARENT;
  const settings = fields.rateLimitSettings ?? {};
  const { N, T } = (typeof settings === 'object' ? settings : {}) as { N?: unknown; T?: unknown };
  const [limit, period] = [wholeNumberIn(N), wholeNumberIn(T)];
  table.set(id, parent, limit ?? Number.NaN, period ?? Number.NaN);
  if (typeof settings !== 'object') return 'has rateLimitSettings that are no document';
  if (limit === null) return 'has an N that is no whole number';
  return period === null ? 'has a T that is no whole number' : null;
};
