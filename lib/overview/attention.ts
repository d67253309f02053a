import 'server-only';
import { refusedRecords } from '@/lib/access/seal-records';
import { failingChannels } from '@/lib/alerts/attention';
import { auditStatus } from '@/lib/audit/watch';
import type { ReadContext } from '@/lib/command/context';
import { env } from '@/lib/configuration';
import { formatCount } from '@/lib/format';
import { heavyCallers } from '@/lib/guard/traffic/heavy';
import type { Census } from '@/lib/history/census';
import { maySeeJob } from '@/lib/jobs/reads';
import { newestJobs, readRecords } from '@/lib/jobs/record';
import { ttlInWords } from '@/lib/keyspace/ttl-in-words';
import { may } from '@/lib/permissions';
import { DAY } from '@/lib/time';
import { ruleConflicts } from '@/lib/values/flag-rules';
import { auditAttention } from './audit-attention';
import { storeState } from './health';
import { openSlots } from './open-slots';
import type { Found } from './put-off';
import { storeDoor, storePolicy } from './store-policy';

const MAX_CALLERS = 3;

const heavyIps = async (ctx: ReadContext): Promise<Found[]> =>
  (await heavyCallers(ctx, MAX_CALLERS)).map(({ ip, requests, banText }) => ({
    id: `ip:${ip}`,
    severity: 'critical',
    values: { ip, requests, threshold: ctx.connection.config.hawk.threshold },
    text: `${ip} is over the threshold and not banned`,
    detail: `${formatCount(requests)} requests in one period; the threshold is ${formatCount(ctx.connection.config.hawk.threshold)}`,
    href: `/${ctx.connection.config.id}/guard${banText ? `?ban=${encodeURIComponent(banText)}` : ''}`,
  }));

const limited = (ctx: ReadContext, projects: number): Found | null => {
  if (projects === 0) return null;
  return {
    id: 'limited-projects',
    values: { count: projects },
    severity: 'warning',
    text:
      projects === 1
        ? '1 project has used up its rate limit'
        : `${formatCount(projects)} projects have used up their rate limit`,
    detail: 'Their events get 402 until the window ends',
    href: `/${ctx.connection.config.id}/guard?tab=limits&state=limited`,
  };
};

/** Flag changes that this caller may approve or reject. */
const flagApprovals = (ctx: ReadContext, requests: number): Found | null => {
  if (requests === 0) return null;
  return {
    id: 'flag-requests',
    values: { count: requests },
    severity: 'warning',
    text:
      requests === 1
        ? '1 flag change needs your approval'
        : `${formatCount(requests)} flag changes need your approval`,
    detail: null,
    href: `/${ctx.connection.config.id}/flags`,
  };
};

const MAX_FAMILIES = 3;

/** Families whose keys should have a TTL, by the number of keys without one. */
const neverExpiring = (ctx: ReadContext, census: Census): Found[] =>
  Object.entries(census.families)
    .flatMap(([id, { withoutTtl }]) => {
      const family = ctx.catalog.get(id);
      return family && family.app !== 'console' && typeof family.ttl === 'object' && withoutTtl > 0
        ? [{ family, withoutTtl }]
        : [];
    })
    .sort((a, b) => b.withoutTtl - a.withoutTtl)
    .slice(0, MAX_FAMILIES)
    .map(({ family, withoutTtl }) => ({
      id: `no-ttl:${family.id}`,
      values: { count: withoutTtl, pattern: family.pattern, ttl: ttlInWords(family.ttl) },
      severity: 'warning',
      text: `${formatCount(withoutTtl)} ${withoutTtl === 1 ? 'key' : 'keys'} of ${family.pattern} never ${withoutTtl === 1 ? 'expires' : 'expire'}`,
      detail: `The catalog expects a TTL of ${ttlInWords(family.ttl)}`,
      href:
        family.role === 'session'
          ? `/${ctx.connection.config.id}/sessions?state=noTtl`
          : `/${ctx.connection.config.id}/families?family=${encodeURIComponent(family.id)}`,
    }));

const interruptedJobs = async (ctx: ReadContext): Promise<Found | null> => {
  const records = await readRecords(ctx.store, await newestJobs(ctx.store, null, 20));
  const since = ctx.now() - DAY;
  const conflicts = records.filter(
    (record) =>
      record?.state === 'interrupted' &&
      maySeeJob(ctx, record) &&
      record.connection === ctx.connection.config.id &&
      record.createdAt > since,
  );
  if (conflicts.length === 0) return null;
  return {
    id: 'interrupted-jobs',
    values: { count: conflicts.length },
    severity: 'warning',
    text: conflicts.length === 1 ? '1 job was interrupted' : `${conflicts.length} jobs were interrupted`,
    detail: conflicts[0]?.error ?? null,
    href: '/jobs?state=interrupted',
  };
};

/** Why the store takes no changes, from anyone. */
const refusedChanges = async (): Promise<Found | null> => {
  const { state, reason } = await storeState();
  if (state === 'ready' || state === 'unreachable') return null;
  return {
    id: state === 'full' ? 'store-full' : 'store-version',
    values: {},
    severity: 'critical',
    text:
      state === 'full'
        ? "Changes are refused: Keyward's store is full"
        : "Changes are refused: Keyward's store has another version",
    detail: reason,
    href: '/jobs',
  };
};

/** Problems of the store's configuration, for those who operate the console. */
const storeProblems = async (ctx: ReadContext): Promise<Found[]> => {
  const problems = { 'store-policy': await storePolicy(ctx.store), 'store-door': storeDoor(env()) };
  return Object.entries(problems).flatMap(([id, problem]) =>
    problem ? [{ id, severity: 'warning', ...problem, detail: 'See KEYWARD_STORE_URL', href: '/jobs' }] : [],
  );
};

/** Users and API tokens in the store that the console did not write. */
const refused = async (ctx: ReadContext): Promise<Found | null> => {
  const records = await refusedRecords(ctx.store);
  if (records.length === 0) return null;
  return {
    id: 'records-refused',
    values: { count: records.length },
    severity: 'critical',
    text:
      records.length === 1
        ? 'A user or API token was changed outside Keyward and is refused'
        : `${formatCount(records.length)} users and API tokens were changed outside Keyward and are refused`,
    detail: 'Disable or revoke them, and find out who can write to the store',
    href: records.some(({ kind }) => kind === 'user') ? '/users' : '/users?tab=tokens',
  };
};

/** This connection and another one have different approval rules for the flags of one database. */
const flagRuleConflicts = (ctx: ReadContext): Found[] =>
  ruleConflicts()
    .filter(({ lax, strict }) => [lax, strict].some(({ config }) => config.id === ctx.connection.config.id))
    .map(({ lax, text }) => ({
      id: `flag-rules:${lax.config.id}`,
      values: {},
      severity: 'warning',
      text,
      detail: 'Until the rules match, both connections need two people to change a flag',
      href: `/${ctx.connection.config.id}/flags`,
    }));

const visibleTo = (ctx: ReadContext, permission: Parameters<typeof may>[1]): boolean =>
  ctx.actor.role !== null && may(ctx.actor.role, permission);

const figuresNotPermitted = (ctx: ReadContext, reason: string | null): Found | null =>
  reason === null
    ? null
    : {
        id: 'figures-not-permitted',
        values: {},
        severity: 'warning',
        text: "Keyward's Redis user may not read hit rate, memory and operations",
        detail: reason,
        href: `/${ctx.connection.config.id}`,
      };

interface Known {
  /** Rows of alerts that fire. */
  alerts: Found[];
  census: Census | null;
  limitedProjects: number | null;
  flagRequests: number | null;
  /** Why the server refuses INFO; null where it does not refuse. */
  notPermitted: string | null;
  isStoreReachable: boolean;
}

/** Everything that needs attention, most urgent first, as far as the caller may see it. */
export const findAttention = async (
  ctx: ReadContext,
  { alerts, census, limitedProjects, flagRequests, notPermitted, isStoreReachable }: Known,
): Promise<Found[]> => {
  if (!isStoreReachable)
    return [
      {
        id: 'store-gone',
        values: {},
        severity: 'critical',
        text: "Keyward's own store is unreachable",
        detail: 'Changes are refused and no history is recorded until it is back',
        href: '/jobs',
      },
    ];
  const seesGuard = visibleTo(ctx, 'guard:view');
  const heavy = seesGuard ? await heavyIps(ctx).catch(() => []) : [];
  const guard = seesGuard ? limited(ctx, limitedProjects ?? 0) : null;
  const families = census ? neverExpiring(ctx, census) : [];
  const jobs = await interruptedJobs(ctx).catch(() => null);
  const isAdmin = visibleTo(ctx, 'users:manage');
  const slots = await openSlots(ctx).catch(() => []);
  const policy = isAdmin ? await storeProblems(ctx).catch(() => []) : [];
  const records = isAdmin ? await refused(ctx).catch(() => null) : null;
  const channels = isAdmin ? await failingChannels(ctx).catch(() => []) : [];
  const figures = figuresNotPermitted(ctx, notPermitted);
  const audit = visibleTo(ctx, 'audit:view')
    ? await auditStatus(ctx.store).then(auditAttention, () => [])
    : [];
  const rules = visibleTo(ctx, 'flags:approve') ? flagRuleConflicts(ctx) : [];
  const found = [
    await refusedChanges(),
    ...audit,
    records,
    ...alerts,
    ...channels,
    ...heavy,
    guard,
    figures,
    ...slots,
    ...policy,
    ...rules,
    flagApprovals(ctx, flagRequests ?? 0),
    jobs,
    ...families,
  ];
  return found.filter((item) => item !== null);
};
