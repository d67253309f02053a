import 'server-only';
import { isLosslessNumber } from '@/lib/exact-json';
import { maskSecrets } from '@/lib/keyspace/mask';
import type { LevelNames, LimitSource } from './schema';
import type { Limit } from './window';

/** The error collector's three levels of limits, in the form of its MongoDB collections. */
export const LEVELS = ['plans', 'workspaces', 'projects'] as const;
export type LevelName = (typeof LEVELS)[number];
export type Levels = Readonly<Record<LevelName, LevelTable>>;

/** The field that names the parent document. */
export const PARENT: Record<LevelName, string | null> = {
  plans: null,
  workspaces: 'tariffPlanId',
  projects: 'workspaceId',
};

/** What one document sets; null: nothing. */
interface LevelLimit {
  parent: string | null;
  limit: number | null;
  period: number | null;
}

/** Names that are kept of a level, and their characters: there may be a million projects. */
const MAX_NAMES = 100_000;
const MAX_NAME_LENGTH = 100;

/** The limits of one level by id. */
export class LevelTable {
  private readonly byId = new Map<string, LevelLimit>();
  /** Each parent's id once: parsing makes a new string per document, 40 MB for a million. */
  private readonly parents = new Map<string, string>();

  private readonly names = new Map<string, string>();

  get size(): number {
    return this.byId.size;
  }

  get(id: string | null | undefined): LevelLimit | undefined {
    return id == null ? undefined : this.byId.get(id);
  }

  /** What the document is called; null where that is not known. */
  nameOf(id: string): string | null {
    return this.names.get(id) ?? null;
  }

  name(id: string, name: unknown): void {
    if (typeof name !== 'string' || this.names.size >= MAX_NAMES) return;
    const text = maskSecrets(name.slice(0, MAX_NAME_LENGTH), false).trim();
    if (text !== '') this.names.set(id, text);
  }

  set(id: string, { parent, limit, period }: LevelLimit): void {
    const shared = parent === null ? null : (this.parents.get(parent) ?? parent);
    if (shared !== null) this.parents.set(shared, shared);
    this.byId.set(id, { parent: shared, limit, period });
  }
}

export interface ResolvedLimit extends Limit {
  limitSource: LimitSource;
  periodSource: LimitSource;
}

/** What a project is called, and the workspace and the plan that it belongs to. */
export const namesOf = (levels: Levels, id: string): LevelNames => {
  const named = (level: LevelName, of: string | null | undefined) =>
    of == null || !levels[level].get(of) ? null : { id: of, name: levels[level].nameOf(of) };
  const workspace = levels.projects.get(id)?.parent;
  return {
    project: levels.projects.nameOf(id),
    workspace: named('workspaces', workspace),
    plan: named('plans', levels.workspaces.get(workspace)?.parent),
  };
};

export const noLevels = (): Levels => ({
  plans: new LevelTable(),
  workspaces: new LevelTable(),
  projects: new LevelTable(),
});

/**
 * The limit of a project, merged per field: the plan's, overridden by the workspace's if above 0, then by the project's
 * if above 0. The default applies where no level sets a field, and to unknown projects. A project whose workspace or plan
 * is missing has only its own limit. Ids are compared as written, as the collector does.
 */
export const resolveLimit = (levels: Levels, id: string, defaults: Limit): ResolvedLimit => {
  const project = levels.projects.get(id);
  const workspace = levels.workspaces.get(project?.parent);
  const plan = levels.plans.get(workspace?.parent);
  const fieldOf = (field: 'limit' | 'period', fallback: number): [number, LimitSource] => {
    const [ofProject, ofWorkspace, ofPlan] = [project?.[field], workspace?.[field], plan?.[field]];
    if (ofProject != null && ofProject > 0) return [ofProject, 'project'];
    // The collector joins workspaces with their plans, so a workspace without its plan has no limit either.
    if (project && !plan) return [0, 'none'];
    if (ofWorkspace != null && ofWorkspace > 0) return [ofWorkspace, 'workspace'];
    if (ofPlan != null) return [ofPlan, 'plan'];
    return fallback > 0 ? [fallback, 'default'] : [0, 'none'];
  };
  const [limit, limitSource] = fieldOf('limit', defaults.limit);
  const [periodSeconds, periodSource] = fieldOf('period', defaults.periodSeconds);
  return { limit, periodSeconds, limitSource, periodSource };
};

const OBJECT_ID = /^[0-9a-f]{24}$/;

/** An id as 24 hexadecimal digits, from Extended JSON, a driver's ObjectId or plain text. */
const idIn = (value: unknown): string | null => {
  if (typeof value === 'string') return OBJECT_ID.test(value) ? value : null;
  if (typeof value !== 'object' || value === null) return null;
  const { $oid, toHexString } = value as { $oid?: unknown; toHexString?: () => string };
  if (typeof $oid === 'string') return idIn($oid);
  return typeof toHexString === 'function' ? idIn(toHexString.call(value)) : null;
};

const MAX_NUMBER_LENGTH = 40;

/** A whole number from Extended JSON or the driver; null if not set, undefined if it is none. Beyond 2^53 it is rounded. */
const wholeNumberIn = (value: unknown): number | null | undefined => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') {
    const { $numberInt, $numberLong, $numberDouble, _bsontype } = value as Record<string, unknown>;
    const isWritten = _bsontype === 'Long' || isLosslessNumber(value);
    const text = $numberInt ?? $numberLong ?? $numberDouble ?? (isWritten ? String(value) : null);
    if (typeof text !== 'string' || text.length > MAX_NUMBER_LENGTH) return undefined;
    return /^-?\d+(\.0*)?$/.test(text) ? Number(text) : undefined;
  }
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
};

/**
 * Adds one document of a collection. Answers what is wrong with it, or null. A document with an unreadable limit is added
 * without a limit.
 */
export const addDocument = (table: LevelTable, level: LevelName, document: unknown): string | null => {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return 'is not a document';
  const fields = document as Record<string, unknown>;
  const id = idIn(fields._id);
  if (id === null) return 'has no ObjectId as _id';
  const parentField = PARENT[level];
  const parent = parentField === null ? null : idIn(fields[parentField]);
  const settings = fields.rateLimitSettings ?? {};
  const { N, T } = (typeof settings === 'object' ? settings : {}) as { N?: unknown; T?: unknown };
  const [limit, period] = [wholeNumberIn(N), wholeNumberIn(T)];
  table.set(id, { parent, limit: limit ?? null, period: period ?? null });
  table.name(id, fields.name);
  if (typeof settings !== 'object') return 'has rateLimitSettings that are not a document';
  if (limit === undefined) return 'has an N that is not a whole number';
  if (period === undefined) return 'has a T that is not a whole number';
  const isRounded = [limit, period].some((number) => number !== null && !Number.isSafeInteger(number));
  return isRounded ? 'has a limit beyond 2^53, which is rounded' : null;
};
