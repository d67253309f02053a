import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { env } from '@/lib/configuration';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { iso, SECOND } from '@/lib/time';
import { folderSource } from './folder';
import { namesOf, noLevels, type ResolvedLimit, resolveLimit } from './levels';
import type { LimitsSource } from './limits-source';
import { mongoSource } from './mongodb';
import type { KnownProject, LevelNames, LimitsState } from './schema';

/** How long a caller waits for newer limits, and for the first ones. */
const REFRESH_TIMEOUT_MS = 50;
const FIRST_TIMEOUT_MS = 2500;

/** Neither a folder nor MongoDB is configured: the default applies to every project. */
const defaultsOnly = (): LimitsSource => {
  const levels = noLevels();
  return {
    kind: 'default',
    refresh: async () => undefined,
    levels: () => levels,
    version: () => 0,
    status: () => ({ status: 'ok', stale: false, problems: [], at: null }),
    close: async () => undefined,
  };
};

const sourceOf = (mongoUri: string | null, limitsDir: string | null): LimitsSource => {
  if (mongoUri !== null) return mongoSource(mongoUri);
  return limitsDir === null ? defaultsOnly() : folderSource(limitsDir);
};

const source = processWide('limits-source', () => sourceOf(env().mongoUri, env().limitsDir));

/** The known limits of a connection's projects. */
export interface Limits {
  /** By project id, or by any other field of the hash. */
  resolve(id: string): ResolvedLimit;
  /** What it and its levels are called. */
  names(id: string): LevelNames;
  /** Whether the source has this project; null if the source has no projects. */
  project(id: string): KnownProject | null;
  /** Changes when the limits change. */
  version: string;
  state: LimitsState;
}

/** Starts the first read early, so that the first caller need not wait for it. */
export const warmLimits = (): void => {
  void source().refresh();
};

export const closeLimits = async (): Promise<void> => {
  await source.made()?.close();
  source.forget();
};

const stateOf = (from: LimitsSource, now: number): LimitsState => {
  const { at, ...status } = from.status();
  const { projects, workspaces, plans } = from.levels();
  return {
    source: from.kind,
    ...status,
    at: at === null ? null : iso(at),
    ageSeconds: at === null ? null : Math.max(0, Math.round((now - at) / SECOND)),
    projects: projects.size,
    workspaces: workspaces.size,
    plans: plans.size,
  };
};

/** Waits briefly for newer limits; otherwise answers the known ones with their age. */
export const currentLimits = async (handle: ConnectionHandle): Promise<Limits> => {
  const from = source();
  const timeout = new AbortController();
  const timeoutMs = from.status().status === 'loading' ? FIRST_TIMEOUT_MS : REFRESH_TIMEOUT_MS;
  await Promise.race([
    from.refresh(),
    sleep(timeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined),
  ]);
  timeout.abort();
  const { eventsLimit, eventsPeriodSeconds } = handle.config.hawk;
  const defaults = { limit: eventsLimit, periodSeconds: eventsPeriodSeconds };
  const levels = from.levels();
  return {
    resolve: (id) => resolveLimit(levels, id, defaults),
    names: (id) => namesOf(levels, id),
    project: (id) => {
      if (levels.projects.size === 0) return null;
      return levels.projects.get(id) === undefined ? 'unknown' : 'known';
    },
    version: `${from.version()}`,
    state: stateOf(from, Date.now()),
  };
};
