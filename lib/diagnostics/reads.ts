import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { may, type Permission } from '@/lib/permissions';
import type { MissingNode } from '@/lib/redis/each-primary';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { iso, SECOND } from '@/lib/time';
import { readClients } from './clients';
import { readExpiry } from './expiry';
import { readHotKeys } from './hot-keys';
import { readKeys } from './keys';
import { readLatency } from './latency';
import { readMemory } from './memory';
import type { Diagnostics, diagnosticContracts } from './schema';
import { readSlowLog } from './slow-log';
import { openSource } from './source';

/** All open pages together cause one reading in this time. */
const SHARED_MS = 5 * SECOND;

interface Reading {
  at: number;
  sections: Diagnostics;
  missingNodes: MissingNode[];
}

const readAll = async (ctx: ReadContext): Promise<Reading> => {
  const source = openSource(ctx);
  // First, because its round trip is measured. Each section reports its own failure.
  const info = await source.info().catch(() => null);
  const [memory, keys, expiry, latency, slowLog, hotKeys, clients] = await Promise.all([
    readMemory(source),
    readKeys(source),
    readExpiry(source),
    readLatency(source),
    readSlowLog(source),
    readHotKeys(source),
    readClients(source),
  ]);
  const sections = { memory, keys, expiry, latency, slowLog, hotKeys, clients };
  return { at: source.now, sections, missingNodes: info?.missing ?? [] };
};

/** Removes what the caller may not see: entries, names of clients and of keys. */
const visibleTo = (
  { slowLog, hotKeys, clients, ...others }: Diagnostics,
  sees: (permission: Permission) => boolean,
): Diagnostics => {
  const live = sees('live:view');
  const { figures: slow } = slowLog;
  const { figures: hot } = hotKeys;
  const { figures: connected } = clients;
  return {
    ...others,
    slowLog: { ...slowLog, figures: slow && { ...slow, entries: live ? slow.entries : null } },
    hotKeys: { ...hotKeys, figures: hot && { ...hot, keys: sees('keys:view') ? hot.keys : null } },
    clients: { ...clients, figures: connected && { ...connected, byName: live ? connected.byName : null } },
  };
};

const sharedReading = sharedAnswer<Reading>('diagnostics', SHARED_MS);

/** diagnostics.get */
export const getDiagnostics = async (ctx: ReadContext): Promise<Result<typeof diagnosticContracts.get>> => {
  const { at, sections, missingNodes } = await sharedReading.of(ctx.connection, () => readAll(ctx));
  const { role } = ctx.actor;
  return {
    at: iso(at),
    missingNodes,
    sections: visibleTo(sections, (permission) => role !== null && may(role, permission)),
  };
};
