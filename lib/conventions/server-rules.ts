import 'server-only';
import { maskedAddress, shownClientName } from '@/lib/calls/client-name';
import { isIdleAlone } from '@/lib/diagnostics/idle-client';
import { plural } from '@/lib/format';
import { mustStay } from '@/lib/keyspace/guarded';
import type { Registry } from '@/lib/keyspace/registry';
import { isNearClientLimit, judgeMemoryLimit, type MemoryLimitFault } from '@/lib/redis/limits';
import { judgePersistence, type PersistenceFault } from '@/lib/redis/persistence';
import { SECOND, utcText } from '@/lib/time';
import type { Policy } from './rule';
import type { RuleId, Violation } from './schema';
import type { ClientLine, ServerState } from './server-state';

/** Calls of a forbidden command, as they were seen. */
export interface ForbiddenUse {
  readonly calls: number;
  /** When this console first saw calls of it since the server started or its statistics were reset, epoch ms. */
  readonly firstSeenAt: number;
}
export type ForbiddenUses = Readonly<Record<string, ForbiddenUse>>;

/** What a rule about the server found. `reason` where it cannot be seen. */
export interface ServerFinding {
  readonly violations: readonly Pick<Violation, 'key' | 'detail'>[];
  readonly reason: string | null;
}

interface Asked {
  readonly state: ServerState;
  readonly policy: Policy;
  readonly catalog: Registry;
  readonly forbidden: ForbiddenUses;
  readonly now: number;
}

const FORBIDDEN = ['keys', 'flushall', 'flushdb'] as const;
const MIN_IDLE = 20;
const MIN_BLOCKED = 10;

const violation = (key: string, detail: string): ServerFinding => ({
  violations: [{ key, detail }],
  reason: null,
});
const PASSED: ServerFinding = { violations: [], reason: null };
const unknown = (reason: string | null): ServerFinding => ({
  violations: [],
  reason: reason ?? 'The server does not report it.',
});

const numberOf = (fields: ReadonlyMap<string, string>, name: string): number | null => {
  const value = fields.get(name);
  return value === undefined || !/^\d+$/u.test(value) ? null : Number(value);
};

const percent = (share: number): string => `${Math.round(100 * share)} %`;

const clientText = ({ fields }: ClientLine): string => {
  const user = fields.get('user');
  const name = fields.get('name');
  return [
    user && `user ${shownClientName(Buffer.from(user))}`,
    `at ${maskedAddress(fields.get('addr') ?? '')}`,
    name && `called ${shownClientName(Buffer.from(name))}`,
  ]
    .filter(Boolean)
    .join(' ');
};

const CALLERS = '; last command of ';

/** The detail of a violation without its clients, for users who may not see them. */
export const withoutCallers = (detail: string): string => detail.split(CALLERS)[0]!;

/** Who ran the command last, if a connected client did: later commands replace it in CLIENT LIST. */
const callersOf = (clients: readonly ClientLine[] | null, command: string): string => {
  const by = (clients ?? []).filter(({ fields }) => fields.get('cmd')?.split('|')[0] === command);
  if (by.length === 0) return '';
  return `${CALLERS}${by.slice(0, 3).map(clientText).join(', ')}`;
};

/** The earliest start of a server whose statistics contain calls of a command, epoch ms; servers report whole seconds. */
const earliestStart = (states: readonly ServerState[], command: string, now: number): number =>
  Math.min(
    ...states.map(({ commands, info }) => {
      const uptime = commands?.get(command) ? info && numberOf(info, 'uptime_in_seconds') : null;
      return uptime === null ? now : now - (uptime + 1) * SECOND;
    }),
  );

/** The first sighting is now, unless the use was seen before and the server has kept counting since. */
export const forbiddenUses = (
  states: readonly ServerState[],
  before: ForbiddenUses,
  now: number,
): ForbiddenUses => {
  const uses: Record<string, ForbiddenUse> = {};
  const isHidden = states.some(({ commands }) => commands === null);
  for (const command of FORBIDDEN) {
    const calls = states.reduce((sum, { commands }) => sum + (commands?.get(command) ?? 0), 0);
    const last = before[command];
    // Unreadable statistics leave earlier sightings unchanged.
    if (last && isHidden) uses[command] = { ...last, calls: Math.max(calls, last.calls) };
    else if (calls > 0) {
      const goesOn = last && last.calls <= calls && last.firstSeenAt >= earliestStart(states, command, now);
      uses[command] = { calls, firstSeenAt: goesOn ? last.firstSeenAt : now };
    }
  }
  return uses;
};

const forbiddenCommands = ({ state, forbidden, now }: Asked): ServerFinding => {
  if (!state.commands) return unknown(state.commandsReason);
  const uptime = state.info && numberOf(state.info, 'uptime_in_seconds');
  const since = uptime == null ? '' : ` since ${utcText(now - uptime * SECOND)} or the last reset`;
  const violations = FORBIDDEN.flatMap((command) => {
    const calls = state.commands!.get(command) ?? 0;
    if (calls === 0) return [];
    const seen = forbidden[command] ? `; first seen ${utcText(forbidden[command].firstSeenAt)}` : '';
    const detail = `${plural(calls, 'call')}${since}${seen}${callersOf(state.clients, command)}`;
    return [{ key: command.toUpperCase(), detail }];
  });
  return { violations, reason: null };
};

/** Commands that wait, or may wait, for data. */
const BLOCKING = [
  'blpop',
  'brpop',
  'brpoplpush',
  'blmove',
  'blmpop',
  'bzpopmin',
  'bzpopmax',
  'bzmpop',
  'xread',
  'xreadgroup',
];

/** Statistics show that one of the two was never used, but not whether both were used together. */
const blockingInTransaction = ({ state: { commands, commandsReason } }: Asked): ServerFinding => {
  if (!commands) return unknown(commandsReason);
  const isUsed = (name: string): boolean => (commands.get(name) ?? 0) > 0;
  if (!isUsed('exec') || !BLOCKING.some(isUsed)) return PASSED;
  return unknown('A server does not report which commands its transactions had.');
};

const connectionLimit = ({ state, policy }: Asked): ServerFinding => {
  const connected = state.info && numberOf(state.info, 'connected_clients');
  const limit =
    numberOf(state.info ?? new Map(), 'maxclients') ?? numberOf(state.config ?? new Map(), 'maxclients');
  if (connected === null) return unknown(state.infoReason);
  if (limit === null) return unknown(state.configReason);
  return isNearClientLimit(connected, limit, policy.limits.maxConnectionShare)
    ? violation('maxclients', `${connected} of ${limit} clients (${percent(connected / limit)})`)
    : PASSED;
};

const idleConnections = ({ state, policy }: Asked): ServerFinding => {
  if (!state.clients) return unknown(state.clientsReason);
  const { idleSeconds, maxIdleShare } = policy.limits;
  const normal = state.clients.filter(({ fields }) =>
    isIdleAlone(fields.get('flags') ?? 'N', fields.get('sub') ?? '0'),
  );
  const idle = normal.filter(({ fields }) => Number(fields.get('idle')) >= idleSeconds).length;
  return idle >= MIN_IDLE && idle > maxIdleShare * normal.length
    ? violation('timeout', `${idle} of ${normal.length} clients sent nothing for ${idleSeconds} s`)
    : PASSED;
};

const blockedConnections = ({ state, policy }: Asked): ServerFinding => {
  const blocked = state.info && numberOf(state.info, 'blocked_clients');
  const connected = state.info && numberOf(state.info, 'connected_clients');
  if (blocked === null || connected === null) return unknown(state.infoReason);
  return blocked >= MIN_BLOCKED && blocked > policy.limits.maxBlockedShare * connected
    ? violation('blocked_clients', `${blocked} of ${connected} clients`)
    : PASSED;
};

const maxMemory = ({ state: { info, infoReason }, catalog }: Asked): ServerFinding => {
  if (!info?.has('maxmemory')) return unknown(infoReason);
  return judgeMemoryLimit(info, mustStay(catalog)).includes('noLimit')
    ? violation('maxmemory', 'it is 0: no limit')
    : PASSED;
};

const EVICTION: Partial<Record<MemoryLimitFault, string>> = {
  refusesWrites: ': writes are refused at the limit',
  evictsLasting: ' evicts keys that must persist',
};

const evictionPolicy = ({ state: { info, infoReason }, catalog }: Asked): ServerFinding => {
  const policy = info?.get('maxmemory_policy');
  if (!info || !policy) return unknown(infoReason);
  const [fault] = judgeMemoryLimit(info, mustStay(catalog));
  const means = fault && EVICTION[fault];
  return means ? violation('maxmemory-policy', policy + means) : PASSED;
};

const FAULTS: Record<PersistenceFault, string> = {
  saveFailed: 'the last snapshot failed',
  aofFailed: 'the AOF could not be written or rewritten',
  notSaved: 'neither AOF nor snapshots are on',
};

const persistence = ({ state, catalog }: Asked): ServerFinding => {
  const { info, config } = state;
  if (!info) return unknown(state.infoReason);
  // A hosted server may omit this setting.
  const save = config?.get('save') ?? null;
  const { faults, isKnown } = judgePersistence({ info, save, mustStay: mustStay(catalog) });
  if (faults.length > 0) return violation('persistence', FAULTS[faults[0]!]);
  return isKnown ? PASSED : unknown(state.configReason);
};

const RULES = {
  'forbidden-commands': forbiddenCommands,
  'blocking-in-transaction': blockingInTransaction,
  'connection-limit': connectionLimit,
  'idle-connections': idleConnections,
  'blocked-connections': blockedConnections,
  maxmemory: maxMemory,
  'eviction-policy': evictionPolicy,
  persistence,
} as const satisfies Partial<Record<RuleId, (asked: Asked) => ServerFinding>>;

/** Evaluates the rules about the servers of a connection. Facts that a server does not report are unknown. */
export const checkServers = (
  states: readonly ServerState[],
  given: Omit<Asked, 'state'>,
): Map<RuleId, ServerFinding> =>
  new Map(
    Object.entries(RULES)
      .filter(([id]) => given.policy.isOn(id as RuleId, null))
      .map(([id, evaluate]) => {
        const findings = states.map((state) => evaluate({ ...given, state }));
        const violations = findings.flatMap((finding) => finding.violations);
        const reason = violations.length > 0 ? null : findings.find((finding) => finding.reason)?.reason;
        return [id as RuleId, { violations, reason: reason ?? null }];
      }),
  );
