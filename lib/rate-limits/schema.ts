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

/** A project id of the error collector: a MongoDB ObjectId. */
const projectId = z.string().regex(/^[0-9a-fA-F]{24}$/, 'A project id is 24 hexadecimal digits.');
/** The field's bytes in base64url, up to 64 KiB, so that every row of a list can be removed. */
const fieldId = z.string().regex(/^[A-Za-z0-9_-]{0,90000}$/, 'This is not a field id.');
const etag = z.string().min(1).max(100).optional().meta({
  description:
    'The etag of the window that was shown. Counting does not change it; a new window has another (412).',
});

/**
 * By what happens to the next event. `limited`: refused, the window is full. `near`: accepted, 80 % or more used. `ok`:
 * accepted. `expired`: accepted, opens a new window. `unlimited`: accepted, not counted. `unreadable`: refused until the
 * value is repaired. "Refused by its limit" is `limited` or `unreadable`.
 */
export const WINDOW_STATES = ['limited', 'near', 'ok', 'expired', 'unlimited', 'unreadable'] as const;
export type WindowState = (typeof WINDOW_STATES)[number];

/** The level that sets a field of the limit; `none`: no limit, or a period of 0. */
export const LIMIT_SOURCES = ['project', 'workspace', 'plan', 'default', 'none'] as const;
export type LimitSource = (typeof LIMIT_SOURCES)[number];

/** Whether the source of limits has the project. A deleted project is unknown; only the default limits it. */
export const KNOWN_PROJECTS = ['known', 'unknown'] as const;
export type KnownProject = (typeof KNOWN_PROJECTS)[number];
const knownProject = z.enum(KNOWN_PROJECTS).nullable().meta({
  description: 'Whether the source of limits has this project; null if the source has no projects.',
});

/** By use (unreadable and limited first), or by events in the window; both descending. */
export const WINDOW_ORDERS = ['use', 'count'] as const;

const level = z
  .object({ id: z.string(), name: z.string().nullable() })
  .nullable()
  .meta({ description: 'null where the source of limits does not have it.' });

const levelNames = z.object({ project: z.string().nullable(), workspace: level, plan: level });
export type LevelNames = z.output<typeof levelNames>;

export const rateWindow = z.object({
  fieldId: z.string(),
  field: z.string().meta({ description: 'The field as text; `\\xNN` for bytes that are not UTF-8.' }),
  projectId: z.string().nullable().meta({ description: 'null when the field is not a project id.' }),
  windowStart: isoTime.nullable(),
  count: z.number().nullable().meta({ description: 'Events in the window; null when it is not a number.' }),
  limit: z.number().meta({ description: 'Events per window; 0 is unlimited.' }),
  periodSeconds: z.number(),
  remaining: z.number().nullable().meta({ description: 'Events left in the window; null is unlimited.' }),
  resetsAt: isoTime.nullable().meta({ description: 'In the past for an expired window.' }),
  use: z.number().min(0).max(1).nullable(),
  state: z.enum(WINDOW_STATES),
  limitSource: z.enum(LIMIT_SOURCES),
  periodSource: z.enum(LIMIT_SOURCES),
  project: knownProject,
  names: levelNames.meta({
    description: 'What the project is called, with its workspace and its plan, whose limits it has.',
  }),
  blocked: z.boolean().nullable().meta({ description: 'null when the blocked set is unreadable.' }),
  raw: z.string().nullable().meta({ description: 'The stored value; null when there is none.' }),
  etag: z.string().nullable(),
});
export type RateWindow = z.output<typeof rateWindow>;

/** Where limits come from, and how old they are. Problems are sentences without paths or credentials. */
export const limitsState = z.object({
  source: z.enum(['mongodb', 'folder', 'default']),
  status: z.enum(['ok', 'loading', 'partial', 'unavailable']).meta({
    description: '`partial`: some parts are missing or unreadable. `unavailable`: nothing could be read.',
  }),
  at: isoTime.nullable().meta({ description: 'When the oldest part in use was read.' }),
  ageSeconds: z.number().nullable(),
  stale: z.boolean().meta({ description: 'The last known limits apply because the source is unreadable.' }),
  problems: z.array(z.string()),
  projects: z.number(),
  workspaces: z.number(),
  plans: z.number(),
});
export type LimitsState = z.output<typeof limitsState>;

/** The collector's answer to the next event of a project. */
export const nextEvent = z.object({
  accepted: z.boolean(),
  status: z.union([z.literal(200), z.literal(402)]),
  message: z.string().nullable().meta({ description: "The collector's message; null when accepted." }),
  acceptedAt: isoTime
    .nullable()
    .meta({ description: 'When an event is accepted again; null: only after a change.' }),
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

/** Names a window by projectId, or by fieldId where the field is not a project id. */
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
  removed: z.string().meta({ description: 'The value that was removed.' }),
};

export const rateLimitContracts = {
  list: contract({
    id: 'guard.rateLimits.list',
    method: 'GET',
    path: base,
    permission: 'guard:view',
    summary:
      'Rate limit windows, by use. The order is as of `sampledAt`, the rows are current. A complete project id also finds a project without a window.',
    input: z.strictObject({
      state: z.enum(WINDOW_STATES).optional(),
      project: z.enum(KNOWN_PROJECTS).optional().meta({
        description: 'Only projects that the source of limits has (`known`), or does not have (`unknown`).',
      }),
      q: z.string().max(200).optional().meta({ description: 'Part of the field, or a complete project id.' }),
      sort: z.enum(WINDOW_ORDERS).default('use'),
      ...pageInput,
    }),
    result: pageOf(rateWindow).extend({
      counts: z.record(z.enum(WINDOW_STATES), z.number()).meta({
        description:
          'All windows by state at `sampledAt`. `limited` is also `limitedProjects` of `overview.get`.',
      }),
      total: z.number().meta({ description: 'Fields of the hash, now.' }),
      sampledAt: isoTime,
      complete: z
        .boolean()
        .meta({ description: 'false: still reading; these are the windows found so far.' }),
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
      'How many projects a limit would refuse now, and the answer to the next event of one project. Blocked projects count by their windows like others. Releases are neither counted nor limited, but are refused for blocked projects.',
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
          refused: z
            .number()
            .meta({ description: 'Projects the chosen limit refuses now: `limited` or `unreadable`.' }),
          refusedAtPresent: z
            .number()
            .meta({ description: 'Projects the current limits refuse now: `limited` or `unreadable`.' }),
          more: z.number().meta({ description: '`refused` minus `refusedAtPresent`.' }),
          newlyRefused: z.number(),
          newlyAccepted: z.number(),
          sampledAt: isoTime,
          complete: z.boolean(),
        })
        .nullable()
        .meta({ description: 'null without a chosen limit.' }),
      project: z
        .object({
          projectId: z.string(),
          blocked: z.boolean().nullable(),
          present: nextEvent.meta({ description: 'By the current limit.' }),
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
            description: 'Releases are not limited, but are refused for blocked projects.',
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
      'Refused events of a project over time, where RedisTimeSeries is loaded. The collector counts events refused by the block and by the limit together.',
    input: z
      .strictObject({
        projectId,
        from: isoTime,
        to: isoTime,
        granularity: z.enum(GRANULARITIES).optional().meta({
          description:
            'Defaults to the finest that the collector retains back to `from` (a day, a week, 90 days).',
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
        {
          path: ['granularity'],
          message: `That is more than ${MAX_POINTS} points: choose a coarser granularity.`,
        },
      ),
    result: z.object({
      projectId: z.string(),
      available: z.boolean(),
      reason: z.string().nullable().meta({ description: 'Why no points are available.' }),
      granularity: z.enum(GRANULARITIES),
      points: z.array(z.object({ at: isoTime, refused: z.number() })),
    }),
  }),
  reset: contract({
    id: 'guard.rateLimits.reset',
    method: 'POST',
    path: `${base}/reset`,
    touches: ['guard.rateLimits', 'overview'],
    permission: 'guard:write',
    summary: "Removes a project's window; its next event opens a new one.",
    maxBodyBytes: LIST_BODY_BYTES,
    input: oneWindow({}),
    result: changeResult(taken),
  }),
  repair: contract({
    id: 'guard.rateLimits.repair',
    method: 'POST',
    path: `${base}/repair`,
    touches: ['guard.rateLimits', 'overview'],
    permission: 'guard:write',
    summary:
      'Removes a value that the collector cannot read, or replaces it with an expired window; the next event opens a new one.',
    maxBodyBytes: LIST_BODY_BYTES,
    input: oneWindow({
      replace: z
        .boolean()
        .default(false)
        .meta({ description: 'Replaces the value with an expired window instead of removing the field.' }),
    }),
    result: changeResult({ ...taken, stored: z.string().nullable() }),
  }),
};
