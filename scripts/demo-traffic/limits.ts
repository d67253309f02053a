import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Limits of the demo's projects on three levels, in the form of the collector's MongoDB. */

export interface EventLimit {
  /** Events per window; 0 is unlimited. */
  limit: number;
  periodSeconds: number;
}

interface Settings {
  N?: number;
  T?: number;
}

const DAY = 86_400;

const idOf = (kind: number, n: number): string => `6760${kind}${n.toString(16).padStart(19, '0')}`;

/** Projects without traffic: their windows stay in the seeded state. */
export const QUIET = ['near', 'ok', 'limited', 'expired', 'unlimited', 'unreadable'] as const;
export const quietProject = (n: number): string => idOf(3, n);

const PLANS: { name: string; settings: Settings }[] = [
  { name: 'Free', settings: { N: 100, T: 60 } },
  { name: 'Team', settings: { N: 1000, T: DAY } },
  { name: 'Enterprise', settings: { N: 0, T: 0 } },
];

/** The last plan does not exist: its workspace was left behind when the plan was deleted. */
const WORKSPACES: { plan: number; settings: Settings }[] = [
  { plan: 0, settings: {} },
  { plan: 0, settings: { N: 250 } },
  { plan: 1, settings: {} },
  { plan: 2, settings: {} },
  { plan: 3, settings: { N: 10, T: 10 } },
];

interface Member {
  project: string;
  workspace: number;
  settings: Settings;
}

/** Busy projects in the first four workspaces, one with a limit of its own, one in a workspace without a plan. */
const membersOf = (projects: readonly string[]): Member[] => [
  ...projects.map((project, i) => ({
    project,
    workspace: i % 8 === 7 ? 4 : i % 3 === 2 ? 1 : 0,
    settings: i % 5 === 3 ? { N: 40 } : {},
  })),
  ...QUIET.map((state, i) => ({
    project: quietProject(i),
    workspace: state === 'unlimited' ? 3 : 2,
    settings: {},
  })),
];

const above = (value: number | undefined, otherwise: number): number =>
  value !== undefined && value > 0 ? value : otherwise;

/** Merged per field, like the collector does. */
const limitOf = ({ workspace, settings }: Member): EventLimit => {
  const { plan, settings: shared } = WORKSPACES[workspace]!;
  const base = PLANS[plan]?.settings;
  const limit = base ? above(shared.N, base.N ?? 0) : 0;
  const periodSeconds = base ? above(shared.T, base.T ?? 0) : 0;
  return { limit: above(settings.N, limit), periodSeconds: above(settings.T, periodSeconds) };
};

export const limitsOf = (projects: readonly string[]): Map<string, EventLimit> =>
  new Map(membersOf(projects).map((member) => [member.project, limitOf(member)]));

const lines = (documents: readonly object[]): string =>
  documents.map((document) => `${JSON.stringify(document)}\n`).join('');

/** The three files that mongoexport would write. */
export const writeLimits = (folder: string, projects: readonly string[]): void => {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, documents: readonly object[]) =>
    writeFileSync(join(folder, `${name}.json`), lines(documents));
  write(
    'plans',
    PLANS.map(({ name, settings }, n) => ({ _id: { $oid: idOf(1, n) }, name, rateLimitSettings: settings })),
  );
  write(
    'workspaces',
    WORKSPACES.map(({ plan, settings }, n) => ({
      _id: { $oid: idOf(2, n) },
      tariffPlanId: { $oid: idOf(1, plan) },
      rateLimitSettings: settings,
    })),
  );
  write(
    'projects',
    membersOf(projects).map(({ project, workspace, settings }) => ({
      _id: { $oid: project },
      workspaceId: { $oid: idOf(2, workspace) },
      rateLimitSettings: settings,
    })),
  );
};
