import 'server-only';
import { systemActor } from '@/lib/actor';
import { walkEntries } from '@/lib/audit/reads';
import { recordEvent } from '@/lib/audit/record';
import { MIN_KEPT_DAYS } from '@/lib/audit/retention';
import { verifyChain } from '@/lib/audit/verify';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { processWide } from '@/lib/process-wide';
import type { Store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';
import { readMembers } from './members';
import { isGenuine, type RecordFields, recordMac } from './record-mac';

const families = consoleFamilies;
const ACTION = 'account.sealRecords';

interface AccountRecord {
  kind: 'user' | 'api-token';
  id: string;
  fields: RecordFields;
}

const keyOf = ({ kind, id }: AccountRecord): Buffer =>
  kind === 'user' ? families.user.key({ id }) : families.apiToken.key({ id });

const accountRecords = async (store: Store): Promise<AccountRecord[]> => {
  const [users, tokens] = await Promise.all([
    readMembers(store, families.users.key(), (id) => families.user.key({ id })),
    readMembers(store, families.apiTokens.key(), (id) => families.apiToken.key({ id })),
  ]);
  const records = [
    ...users.map((user) => ({ kind: 'user' as const, ...user })),
    ...tokens.map((token) => ({ kind: 'api-token' as const, ...token })),
  ];
  return records.filter(({ fields }) => Object.keys(fields).length > 0);
};

/** Users and API tokens that are refused: without a MAC, or with one that does not match. */
export const refusedRecords = async (store: Store): Promise<AccountRecord[]> =>
  (await accountRecords(store)).filter(({ kind, id, fields }) => !isGenuine(kind, id, fields));

const countsOf = (records: readonly AccountRecord[]) => {
  const users = records.filter(({ kind }) => kind === 'user').length;
  return { users, tokens: records.length - users };
};

/** A mark, with its own MAC, that records were sealed at a time (epoch ms). */
const markOf = (at: number): string => `${at}.${digest('record', `records-sealed:${at}`)}`;

/** A digest of the records as listed: it differs once one is added or changed. */
export const digestOfRecords = (records: readonly AccountRecord[]): string =>
  digest('record', JSON.stringify(records.map(({ kind, id, fields }) => recordMac(kind, id, fields))), 22);

/** Seals records and adds an audit entry. Does nothing if that was done before, unless `again`. */
export const sealRecords = async (
  store: Store,
  records: readonly AccountRecord[],
  { again, detail }: { again: boolean; detail: string },
): Promise<{ recorded: boolean }> => {
  const macs = records.map(({ kind, id, fields }) => recordMac(kind, id, fields));
  const keys = [families.recordsSealed.key(), ...records.map(keyOf)];
  const args = [markOf(Date.now()), again ? '1' : '0', ...macs];
  const [, , done] = (await store.run('records-seal', keys, args)) as number[];
  if (done !== 1) return { recorded: false };
  const { users, tokens } = countsOf(records);
  const target = `${users} users, ${tokens} API tokens`;
  const event = { actor: systemActor(), action: ACTION, target, outcome: 'succeeded' as const, detail };
  return { recorded: await recordEvent(event) };
};

/** Whether the audit log verifies and has no entry of sealing, as in a store of an earlier version. */
const isFromBefore = async (store: Store): Promise<boolean> => {
  const { ok, entries } = await verifyChain(store);
  if (!ok || entries === 0) return false;
  for await (const { entry } of walkEntries(store, { action: ACTION })) if (entry) return false;
  return true;
};

/**
 * Seals the records of a store from an earlier version, once: only if the mark is missing, no record has a MAC, and the
 * audit log proves that it was never done. Any other record without a MAC is refused. Throws the store's 503 `Problem`.
 */
const sealOnce = async (store: Store): Promise<void> => {
  if (await store.use((redis) => redis.exists(families.recordsSealed.key()))) return;
  const noneSealed = async () => {
    const records = await accountRecords(store);
    return records.every(({ fields }) => fields.mac === undefined) ? records : null;
  };
  const before = await noneSealed();
  if (before === null || (before.length > 0 && !(await isFromBefore(store)))) return;
  // Read again, because verifying the log takes time.
  const records = await noneSealed();
  if (records)
    await sealRecords(store, records, {
      again: false,
      detail: 'first start of a version that seals records',
    });
};

/**
 * Repeats the audit entry of sealing before retention deletes it. Without one, a store whose MACs and mark were removed
 * would pass for one of an earlier version.
 */
export const renewSeal = async (store: Store, auditDays: number, now: number): Promise<void> => {
  const mark = await store.use((redis) => redis.get(families.recordsSealed.key()));
  const at = Number(mark?.split('.')[0]);
  const keptMs = Math.min(auditDays, MIN_KEPT_DAYS) * DAY;
  if (mark === markOf(at) && now - at < keptMs / 2) return;
  const isOurs = ({ kind, id, fields }: AccountRecord) => isGenuine(kind, id, fields);
  if (mark === null && !(await accountRecords(store)).some(isOurs)) return;
  await sealRecords(store, [], { again: true, detail: 'records were sealed at an earlier start' });
};

const sealing = processWide('records-sealing', () => ({ once: null as Promise<void> | null }));

/** Seals records of an earlier version before the first of them is checked. */
export const ensureSealed = (store: Store): Promise<void> => {
  const state = sealing();
  state.once ??= sealOnce(store).catch((error: unknown) => {
    state.once = null;
    throw error;
  });
  return state.once;
};

/** The warning to print at start if records are refused; null if none are. */
export const refusedAtStart = async (store: Store): Promise<string | null> => {
  const { users, tokens } = countsOf(await refusedRecords(store));
  return users + tokens === 0
    ? null
    : `${users} users and ${tokens} API tokens in the store are refused: they were changed outside Keyward, or KEYWARD_SECRET_KEY is another one. \`npm run accounts:seal\` lists them`;
};
