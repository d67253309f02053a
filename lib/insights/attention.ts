import 'server-only';
import { refusedRecords } from '@/lib/access/seal-records';
import { auditStatus } from '@/lib/audit/watch';
import { ttlInWords } from '@/lib/catalog/ttl-in-words';
import type { ReadContext } from '@/lib/command/context';
import { env } from '@/lib/env';
import { heavyCallers } from '@/lib/guard/traffic/heavy';
import type { Census } from '@/lib/history/census';
import { maySeeJob } from '@/lib/jobs/reads';
import { newestJobs, readRecords } from '@/lib/jobs/record';
import { may } from '@/lib/permissions';
import { DAY } from '@/lib/time';
import { ruleConflicts } from '@/lib/values/flag-rules';
import { auditAttention } from './audit-attention';
import type { Attention } from './schema';
import { storeDoor, storePolicy } from './store-policy';

const count = (n: number): string => n.toLocaleString('en');

const MAX_CALLERS = 3;

const heavyIps = async (ctx: ReadContext): Promise<Attention[]> =>
  (await heavyCallers(ctx, MAX_CALLERS)).map(({ ip, requests, banText }) => ({
    id: `ip:${ip}`,
    severity: 'critical',
    text: `${ip} is over the threshold and not blacklisted`,
    detail: `${count(requests)} of ${count(ctx.connection.config.hawk.threshold)} requests in a period`,
    href: `/${ctx.connection.config.id}/guard${banText ? `?ban=${encodeURIComponent(banText)}` : ''}`,
  }));

const limited = (ctx: ReadContext, census: Census): Attention[] => {
  const projects = census.limitedProjects ?? 0;
  if (projects === 0) return [];
  return [
    {
      id: 'limited-projects',
      severity: 'warning',
      text:
        projects === 1
          ? '1 project is refused by its rate limit'
          : `${count(projects)} projects are refused by their rate limit`,
      detail: 'Their events get 402 until the window ends',
      href: `/${ctx.connection.config.id}/guard?tab=limits&state=limited`,
    },
  ];
};

/** Changes of flags that wait for this caller; none for who may not decide. */
const asked = (ctx: ReadContext, requests: number): Attention[] => {
  if (requests === 0) return [];
  return [
    {
      id: 'flag-requests',
      severity: 'warning',
      text:
        requests === 1
          ? "A flag's change waits for your approval"
          : `${count(requests)} changes of flags wait for your approval`,
      detail: null,
      href: `/${ctx.connection.config.id}/flags`,
    },
  ];
};

const MAX_FAMILIES = 3;

/** Families whose policy asks for a TTL and whose keys have none, most keys first. */
const neverExpiring = (ctx: ReadContext, census: Census): Attention[] =>
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
      severity: 'warning',
      text: `${count(withoutTtl)} ${withoutTtl === 1 ? 'key' : 'keys'} of ${family.pattern} never expire`,
      detail: `The catalog expects ${ttlInWords(family.ttl)}`,
      href:
        family.id === 'discours.session'
          ? `/${ctx.connection.config.id}/sessions?state=noTtl`
          : `/${ctx.connection.config.id}/caches?family=${encodeURIComponent(family.id)}`,
    }));

const interruptedJobs = async (ctx: ReadContext): Promise<Attention[]> => {
  const records = await readRecords(ctx.store, await newestJobs(ctx.store, null, 20));
  const since = ctx.now() - DAY;
  const found = records.filter(
    (record) =>
      record?.state === 'interrupted' &&
      maySeeJob(ctx, record) &&
      record.connection === ctx.connection.config.id &&
      record.createdAt > since,
  );
  if (found.length === 0) return [];
  return [
    {
      id: 'interrupted-jobs',
      severity: 'warning',
      text: found.length === 1 ? 'A job was interrupted' : `${found.length} jobs were interrupted`,
      detail: found[0]?.error ?? null,
      href: '/jobs?state=interrupted',
    },
  ];
};

/** What the store itself lacks; for those who run the console. */
const storeProblems = async (ctx: ReadContext): Promise<Attention[]> => {
  const problems = { 'store-policy': await storePolicy(ctx.store), 'store-door': storeDoor(env().storeUrl!) };
  return Object.entries(problems).flatMap(([id, text]) =>
    text ? [{ id, severity: 'warning', text, detail: 'See KEYWARD_STORE_URL', href: '/jobs' }] : [],
  );
};

/** Users and API tokens that somebody wrote past the console, while they are there. */
const refused = async (ctx: ReadContext): Promise<Attention[]> => {
  const records = await refusedRecords(ctx.store);
  if (records.length === 0) return [];
  return [
    {
      id: 'records-refused',
      severity: 'critical',
      text:
        records.length === 1
          ? 'A user or API token was changed outside Keyward and is refused'
          : `${count(records.length)} users and API tokens were changed outside Keyward and are refused`,
      detail: 'Disable or revoke them, and find out who can write to the store',
      href: records.some(({ kind }) => kind === 'user') ? '/users' : '/users?tab=tokens',
    },
  ];
};

/** This connection and another one have different rules for the flags of one database. */
const twoRules = (ctx: ReadContext): Attention[] =>
  ruleConflicts()
    .filter(({ lax, strict }) => [lax, strict].some(({ config }) => config.id === ctx.connection.config.id))
    .map(({ lax, text }) => ({
      id: `flag-rules:${lax.config.id}`,
      severity: 'warning',
      text,
      detail: 'Until both have the same rule two people are needed through both',
      href: `/${ctx.connection.config.id}/flags`,
    }));

const visibleTo = (ctx: ReadContext, permission: Parameters<typeof may>[1]): boolean =>
  ctx.actor.role !== null && may(ctx.actor.role, permission);

/** The server's figures need a right that its user lacks. */
const withoutFigures = (ctx: ReadContext, reason: string | null): Attention[] =>
  reason === null
    ? []
    : [
        {
          id: 'figures-not-permitted',
          severity: 'warning',
          text: 'Hit rate, memory and operations are not permitted',
          detail: reason,
          href: `/${ctx.connection.config.id}`,
        },
      ];

interface Known {
  census: Census | null;
  flagRequests: number | null;
  /** Why the server does not tell its figures; null where it does. */
  notPermitted: string | null;
  storeReachable: boolean;
}

/** What needs attention, most urgent first; only what the caller may see. */
export const wantsAttention = async (
  ctx: ReadContext,
  { census, flagRequests, notPermitted, storeReachable }: Known,
): Promise<Attention[]> => {
  if (!storeReachable)
    return [
      {
        id: 'store-gone',
        severity: 'critical',
        text: "Keyward's own store cannot be reached",
        detail: 'Changes are refused and no history is kept until it is back',
        href: '/jobs',
      },
    ];
  const heavy = visibleTo(ctx, 'guard:view') ? await heavyIps(ctx).catch(() => []) : [];
  const guard = census && visibleTo(ctx, 'guard:view') ? limited(ctx, census) : [];
  const families = census ? neverExpiring(ctx, census) : [];
  const jobs = await interruptedJobs(ctx).catch(() => []);
  const runsIt = visibleTo(ctx, 'users:manage');
  const policy = runsIt ? await storeProblems(ctx).catch(() => []) : [];
  const records = runsIt ? await refused(ctx).catch(() => []) : [];
  const figures = withoutFigures(ctx, notPermitted);
  const audit = visibleTo(ctx, 'audit:view')
    ? await auditStatus(ctx.store).then(auditAttention, () => [])
    : [];
  const rules = visibleTo(ctx, 'flags:approve') ? twoRules(ctx) : [];
  return [
    ...audit,
    ...records,
    ...heavy,
    ...guard,
    ...figures,
    ...policy,
    ...rules,
    ...asked(ctx, flagRequests ?? 0),
    ...jobs,
    ...families,
  ];
};
