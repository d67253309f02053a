import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  LIST_BODY_BYTES,
  pageInput,
  pageOf,
  queryInteger,
} from '@/lib/contract';

const base = '/api/v1/connections/{connection}/guard/rate-limits';

/** A project id of the error collector: a MongoDB ObjectId (003). */
const projectId = z.string().regex(/^[0-9a-fA-F]{24}$/, 'A project id is 24 hexadecimal digits.');
/** Base64url of its bytes; lists show some of 64 KiB, and what is shown can be removed. */
const fieldId = z.string().regex(/^[A-Za-z0-9_-]{0,90000}$/, 'This is not a field id.');
const etag = z.string().min(1).max(100).optional().meta({
  description: 'Of the window that was seen. Counting on keeps it; another window is another etag (412).',
});

/**
 * What the next event of a project meets: refused; accepted with 80 % or more used; accepted; accepted and opening a
 * new window; not counted at all; refused for ever, because the collector cannot read the value.
 */
export const WINDOW_STATES = ['limited', 'near', 'ok', 'expired', 'unlimited', 'unreadable'] as const;
export type WindowState = (typeof WINDOW_STATES)[number];

/** The level that set a field of the limit; `none` is unlimited, or a period of 0. */
export const LIMIT_SOURCES = ['project', 'workspace', 'plan', 'default', 'none'] as const;
export type LimitSource = (typeof LIMIT_SOURCES)[number];

/** Whether the source of limits has the project: one that was deleted is unknown, and only the default limits it. */
export const KNOWN_PROJECTS = ['known', 'unknown'] as const;
export type KnownProject = (typeof KNOWN_PROJECTS)[number];
const knownProject = z.enum(KNOWN_PROJECTS).nullable().meta({
  description: 'Whether the source of limits has this project; null when no source names any project.',
});

/** By use (unreadable and limited first), or by events in the window; both descending. */
export const WINDOW_ORDERS = ['use', 'count'] as const;

export const rateWindow = z.object({
  fieldId: z.string(),
  field: z.string().meta({ description: 'The field for reading; `\\xNN` for what is no text.' }),
  projectId: z.string().nullable().meta({ description: 'null when the field is no project id.' }),
  windowStart: isoTime.nullable(),
  count: z.number().nullable().meta({ description: 'Events in the window; null when it is no number.' }),
  limit: z.number().meta({ description: 'Events per window; 0 is unlimited.' }),
  periodSeconds: z.number(),
  remaining: z.number().nullable().meta({ description: 'Events left in the window; null is unlimited.' }),
  resetsAt: isoTime.nullable().meta({ description: 'Past for an expired window.' }),
  use: z.number().min(0).max(1).nullable(),
  state: z.enum(WINDOW_STATES),
  limitSource: z.enum(LIMIT_SOURCES),
  periodSource: z.enum(LIMIT_SOURCES),
  project: knownProject,
  blocked: z.boolean().nullable().meta({ description: 'null when the blocked set cannot be read.' }),
  raw: z.string().nullable().meta({ description: 'The value as it is stored; null when there is none.' }),
  etag: z.string().nullable(),
});
export type RateWindow = z.output<typeof rateWindow>;

/** Where limits come from, and how fresh they are. Problems are sentences, without paths and credentials. */
export const limitsState = z.object({
  source: z.enum(['mongodb', 'folder', 'default']),
  status: z.enum(['ok', 'loading', 'partial', 'unavailable']).meta({
    description: '`partial`: some of it is missing or unreadable. `unavailable`: none of it could be read.',
  }),
  at: isoTime.nullable().meta({ description: 'When the oldest part in use was read.' }),
  ageSeconds: z.number().nullable(),
  stale: z.boolean().meta({ description: 'The last known limits are in use: the source cannot be read.' }),
  problems: z.array(z.string()),
  projects: z.number(),
  workspaces: z.number(),
  plans: z.number(),
});
export type LimitsState = z.output<typeof limitsState>;

/** What the collector answers to the next event of a project. */
export const nextEvent = z.object({
  accepted: z.boolean(),
  status: z.union([z.literal(200), z.literal(402)]),
  message: z.string().nullable().meta({ description: "The collector's own words; null when accepted." }),
  acceptedAt: isoTime
    .nullable()
    .meta({ description: 'When an event is accepted again; null: never by itself.' }),
  state: z.enum(WINDOW_STATES),
});
export type NextEvent = z.output<typeof nextEvent>;

export const GRANULARITIES = ['minutely', 'hourly', 'daily'] as const;
export type Granularity = (typeof GRANULARITIES)[number];
export const STEP_MS: Record<Granularity, number> = {
  minutely: 60_000,
  hourly: 3_600_000,
  daily: 86_400_000,
};
const MAX_POINTS = 11_000;

/** A window is named by its project, or by its field where that is no project id. */
const oneWindow = <S extends z.ZodRawShape>(shape: S) =>
  changeInput({ projectId: projectId.optional(), fieldId: fieldId.optional(), etag, ...shape }).refine(
    (input) =>
      ((input as { projectId?: string }).projectId === undefined) !==
      ((input as { fieldId?: string }).fieldId === undefined),
    { path: ['projectId'], message: 'Name either projectId or fieldId.' },
  );

const taken = {
  projectId: z.string().nullable(),
  fieldId: z.string(),
  removed: z.string().meta({ description: 'The value that was there.' }),
};

export const rateLimitContracts = {
  list: contract({
    id: 'guard.rateLimits.list',
    method: 'GET',
    path: base,
    permission: 'guard:view',
    summary:
      'Rate limit windows, by use. Their order is of `sampledAt`, their figures of now. An exact project id finds a project without a window too.',
    input: z.strictObject({
      state: z.enum(WINDOW_STATES).optional(),
      project: z.enum(KNOWN_PROJECTS).optional().meta({
        description: 'Only windows whose project the source of limits has, or does not have.',
      }),
      q: z.string().max(200).optional().meta({ description: 'Part of the field, or an exact project id.' }),
      sort: z.enum(WINDOW_ORDERS).default('use'),
      ...pageInput,
    }),
    result: pageOf(rateWindow).extend({
      counts: z
        .record(z.enum(WINDOW_STATES), z.number())
        .meta({ description: 'At `sampledAt`, of all windows.' }),
      total: z.number().meta({ description: 'Fields of the hash now.' }),
      sampledAt: isoTime,
      complete: z.boolean().meta({ description: 'false: still being read, this is what was found so far.' }),
      progress: z.number().min(0).max(1),
      limits: limitsState,
    }),
  }),
  whatIf: contract({
    id: 'guard.rateLimits.whatIf',
    method: 'GET',
    path: `${base}/what-if`,
    permission: 'guard:view',
    summary:
      'How many projects a limit would refuse now, and what the next event of one meets. Blocked projects count by their windows like the others; releases do not count and pass the limit, but stop on the blocked set.',
    input: z
      .strictObject({
        limit: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
        periodSeconds: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
        projectId: projectId.optional(),
      })
      .refine(({ limit, periodSeconds }) => (limit === undefined) === (periodSeconds === undefined), {
        path: ['periodSeconds'],
        message: 'Give limit and periodSeconds together.',
      })
      .refine(({ limit, projectId }) => limit !== undefined || projectId !== undefined, {
        path: ['limit'],
        message: 'Give limit and periodSeconds, or projectId.',
      }),
    result: z.object({
      limit: z.number().nullable(),
      periodSeconds: z.number().nullable(),
      all: z
        .object({
          projects: z.number(),
          refused: z.number().meta({ description: 'Refused now, by the chosen limit.' }),
          refusedAtPresent: z.number().meta({ description: 'Refused now, by the limits in force.' }),
          more: z.number().meta({ description: '`refused` less `refusedAtPresent`; negative is fewer.' }),
          newlyRefused: z.number(),
          newlyAccepted: z.number(),
          sampledAt: isoTime,
          complete: z.boolean(),
        })
        .nullable()
        .meta({ description: 'null when no limit was chosen.' }),
      project: z
        .object({
          projectId: z.string(),
          blocked: z.boolean().nullable(),
          present: nextEvent.meta({ description: 'By the limit in force.' }),
          chosen: nextEvent.nullable().meta({ description: 'By the chosen limit.' }),
          limit: z.number(),
          periodSeconds: z.number(),
          limitSource: z.enum(LIMIT_SOURCES),
          periodSource: z.enum(LIMIT_SOURCES),
          project: knownProject,
          count: z.number().nullable(),
          windowStart: isoTime.nullable(),
          raw: z.string().nullable(),
          releases: z.enum(['accepted', 'refused']).meta({
            description: 'Releases pass the limit and stop on the blocked set.',
          }),
        })
        .nullable(),
      limits: limitsState,
    }),
  }),
  refused: contract({
    id: 'guard.rateLimits.refused',
    method: 'GET',
    path: `${base}/refused`,
    permission: 'guard:view',
    summary:
      'Refused events of a project over time, where RedisTimeSeries is loaded: blocked and limited together, as the collector counts them.',
    input: z
      .strictObject({
        projectId,
        from: isoTime,
        to: isoTime,
        granularity: z.enum(GRANULARITIES).optional().meta({
          description: 'The finest the collector keeps for `from` unless said: a day, a week, 90 days.',
        }),
      })
      .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
        path: ['from'],
        message: '`from` must be before `to`.',
      })
      .refine(
        ({ from, to, granularity }) =>
          granularity === undefined ||
          (Date.parse(to) - Date.parse(from)) / STEP_MS[granularity] <= MAX_POINTS,
        { path: ['granularity'], message: `That is more than ${MAX_POINTS} points: choose a coarser one.` },
      ),
    result: z.object({
      projectId: z.string(),
      available: z.boolean(),
      reason: z.string().nullable().meta({ description: 'Why there is nothing to show.' }),
      granularity: z.enum(GRANULARITIES),
      points: z.array(z.object({ at: isoTime, refused: z.number() })),
    }),
  }),
  reset: contract({
    id: 'guard.rateLimits.reset',
    method: 'POST',
    path: `${base}/reset`,
    permission: 'guard:write',
    summary: "Removes a project's window: its next event opens a new one.",
    maxBodyBytes: LIST_BODY_BYTES,
    input: oneWindow({}),
    result: changeResult(taken),
  }),
  repair: contract({
    id: 'guard.rateLimits.repair',
    method: 'POST',
    path: `${base}/repair`,
    permission: 'guard:write',
    summary:
      'Removes a value the collector cannot read, or replaces it by a window that is over: the next event opens a new one.',
    maxBodyBytes: LIST_BODY_BYTES,
    input: oneWindow({
      replace: z
        .boolean()
        .default(false)
        .meta({ description: 'Keeps the field, with a window that is over.' }),
    }),
    result: changeResult({ ...taken, stored: z.string().nullable() }),
  }),
};
