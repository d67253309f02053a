import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { TimeUnit } from '@/lib/keyspace/roles';
import type { Arg } from '@/lib/redis/commands';
import { SECOND } from '@/lib/time';
import { nameOfAgent } from './device';
import type { Session, SessionFilter } from './schema';
import { FACT_LIMITS, type FactName, factIn, type SessionStorage, storageOf } from './storage';

const contains = (text: string | null, part: string): boolean =>
  text?.toLowerCase().includes(part.toLowerCase()) ?? false;

const deviceFits = (device: Session['device'], wanted: string): boolean =>
  contains(device.label, wanted) || contains(device.userAgent, wanted);

/** Idle time counts from the last activity, otherwise from the sign-in. A session with neither is not idle. */
const isIdle = (session: Session, seconds: number, now: number): boolean => {
  const at = session.lastActivity ?? session.createdAt;
  return at !== null && now - Date.parse(at) > seconds * SECOND;
};

/** Whether a session matches. Texts match parts of what is displayed, ignoring case; globs have no special meaning. */
export const matchesFilter = (session: Session, filter: SessionFilter, now: number): boolean =>
  (filter.username === undefined || contains(session.username, filter.username)) &&
  (filter.device === undefined || deviceFits(session.device, filter.device)) &&
  (filter.address === undefined || contains(session.device.address, filter.address)) &&
  (filter.state === undefined || session.states.includes(filter.state)) &&
  (filter.idleLongerThanSeconds === undefined || isIdle(session, filter.idleLongerThanSeconds, now));

/** Finds the user agent in a `device_info` in its usual spellings, without parsing it. */
const AGENT = /["'][\w-]*(?:user[_-]?agent|ua)["']\s*:\s*[bu]?(?:"([^"\\]{1,300})|'([^'\\]{1,300}))/i;

/** Excludes most sessions by their `device_info` alone. */
export interface DeviceCheck {
  mayPass(info: Buffer): boolean;
  /** Arguments for the script: the text, and user agents known not to match, which it can exclude by itself. */
  known(): Arg[];
}

const MAX_AGENTS = 5000;
/** Agents sent with each call; a few account for most sessions. */
const MAX_KNOWN = 200;

const NO_CHECK: DeviceCheck = { mayPass: () => true, known: () => [''] };

/**
 * Whether a session's `device_info` may match. Even if it does not contain the text literally, the text may be in the
 * parsed name of the user agent, in an escape, or across two parts.
 */
export const deviceCheck = ({ device }: SessionFilter): DeviceCheck => {
  if (device === undefined || device.includes(', ')) return NO_CHECK;
  const wanted = device.toLowerCase();
  const isPlain = isAscii(wanted);
  const named = new Map<string, boolean>();
  const unfit: string[] = [];
  const nameFits = (agent: string): boolean => {
    const before = named.get(agent);
    if (before !== undefined) return before;
    const fits = agent !== '' && contains(nameOfAgent(agent), wanted);
    if (named.size < MAX_AGENTS) named.set(agent, fits);
    if (isPlain && !fits && agent !== '' && unfit.length < MAX_KNOWN) unfit.push(agent);
    return fits;
  };
  return {
    known: () => [isPlain ? wanted : '', ...unfit],
    mayPass: (info) => {
      const text = info.toString(isPlain ? 'latin1' : 'utf8');
      if (text.includes('\\') || text.toLowerCase().includes(wanted)) return true;
      const agent = AGENT.exec(text);
      return nameFits(agent?.[1] ?? agent?.[2] ?? '');
    },
  };
};

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const byteClass = (bytes: ReadonlySet<number>): Buffer => {
  const escaped = [...bytes].flatMap((byte) =>
    byte > 0x7f || /\w/.test(String.fromCharCode(byte)) ? [byte] : [0x25, byte],
  );
  return Buffer.from([0x5b, ...escaped, 0x5d]);
};

/**
 * A text in any case as a Lua pattern over bytes, one class per byte. It may match more than the text; null where
 * upper and lower case differ in length, so that no pattern matches every spelling.
 */
const patternOf = (text: string): Buffer | null => {
  const classes: Buffer[] = [];
  for (const character of text) {
    const forms = [character, character.toLowerCase(), character.toUpperCase()].map((form) =>
      Buffer.from(form),
    );
    const [{ length }] = forms as [Buffer];
    if (forms.some((form) => form.length !== length || form.includes(0))) return null;
    for (let at = 0; at < length; at++) classes.push(byteClass(new Set(forms.map((form) => form[at]!))));
  }
  return Buffer.concat(classes);
};

/** Below Lua's own limit of pattern items. A shorter prefix excludes nearly as much. */
const MAX_PATTERN_LENGTH = 20;

const nameArgs = (username: string | undefined): [string, Arg] => {
  if (username === undefined || username === '') return ['', ''];
  if (isAscii(username)) return ['lower', username.toLowerCase()];
  const pattern = patternOf([...username].slice(0, MAX_PATTERN_LENGTH).join(''));
  return pattern ? ['pattern', pattern] : ['', ''];
};

/** JSON and Python write an address identically, apart from escapes, so the stored text can be searched for it. */
const rawAddress = (address: string | undefined): string =>
  address !== undefined && /^[\w.: -]+$/.test(address) ? address.toLowerCase() : '';

const SCRIPTED = ['ghost', 'noTtl', 'live', 'unindexed'];

const UNITS: Partial<Record<TimeUnit, number>> = { s: SECOND, ms: 1 };

/** The earliest last activity, in the application's unit; '' where the script cannot compare. */
const idleArg = (ctx: ReadContext, storage: SessionStorage, idle: number | undefined): Arg => {
  const unit = UNITS[storage.units.lastActivity];
  if (idle === undefined || unit === undefined || !factIn(storage, 'lastActivity')) return '';
  return Math.ceil((ctx.now() - idle * SECOND) / unit);
};

/** A filter as arguments of `find-sessions.lua`, which excludes certain mismatches on the server. */
export const scriptFilter = (ctx: ReadContext, filter: SessionFilter): Arg[] => {
  const { username, device, state, idleLongerThanSeconds: idle } = filter;
  const storage = storageOf(ctx);
  const field = (name: FactName): Arg => factIn(storage, name)?.field ?? '';
  // An address with a separate field is not in the device.
  const address = factIn(storage, 'address') ? undefined : filter.address;
  const [mode, needle] = factIn(storage, 'username') ? nameArgs(username) : ['', ''];
  // In a cluster the index may be on another node than the session.
  const isOfIndex = state === 'live' || state === 'unindexed';
  const mayExclude =
    state === 'noTtl' ||
    (storage.index !== null && !(isOfIndex && ctx.connection.topology.kind === 'cluster'));
  const isScripted = state !== undefined && SCRIPTED.includes(state) && mayExclude;
  return [
    mode,
    needle,
    FACT_LIMITS.username,
    (device !== undefined || address !== undefined) && factIn(storage, 'device') ? '1' : '',
    rawAddress(address),
    FACT_LIMITS.device,
    idleArg(ctx, storage, idle),
    isScripted ? state : '',
    Buffer.from(storage.index?.family.compiled.literals[0] ?? ''),
    storage.head.length + 1,
    storage.between,
    field('username'),
    field('device'),
    field('lastActivity'),
  ];
};
