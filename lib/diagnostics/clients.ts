import 'server-only';
import { readServer, readSetting } from '@/lib/redis/server-reads';
import { HOUR, SECOND } from '@/lib/time';
import { isOwnClient, shownClientName } from './client-name';
import type { ClientGroup } from './schema';
import { findingsOf, readSection } from './section';
import { numberOf, type Source } from './source';

/** With more clients their list would be too long an answer, for the server as well. */
const MAX_LISTED = 10_000;
const MAX_NAMES = 30;
const NEAR_LIMIT = 0.8;
const IDLE_SECONDS = HOUR / SECOND;
const MANY_IDLE = 20;
const MAX_OUTPUT_BYTES = 32 * 2 ** 20;

interface Client {
  name: string;
  idleSeconds: number;
  outputBytes: number;
  isBlocked: boolean;
}

const numberIn = (line: string, field: string): number =>
  Number(new RegExp(`(?:^| )${field}=(\\d{1,15})(?: |$)`).exec(line)?.[1] ?? 0);

/**
 * One line of CLIENT LIST. A name has neither spaces nor line breaks, so no client can write another field or another
 * line; a line that is cut or unknown counts as a client without facts.
 */
export const clientOf = (line: string): Client => ({
  name: / name=([^ ]*)/.exec(line)?.[1] ?? '',
  idleSeconds: numberIn(line, 'idle'),
  outputBytes: numberIn(line, 'omem'),
  isBlocked: / flags=[A-Za-z]*b/.test(line),
});

export const clientsOf = (reply: Buffer): Client[] =>
  reply
    // As bytes: a name need not be UTF-8.
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('id='))
    .map(clientOf);

/** Clients by name, most first. */
export const groupClients = (all: readonly Client[]): ClientGroup[] => {
  const groups = new Map<string, ClientGroup>();
  for (const { name, idleSeconds, outputBytes, isBlocked } of all) {
    const before = groups.get(name);
    const own = isOwnClient(name);
    const shown = name === '' ? null : shownClientName(Buffer.from(name, 'latin1'));
    const group = before ?? { name: shown, clients: 0, blocked: 0, idleSeconds: 0, outputBytes: 0, own };
    group.clients += 1;
    group.blocked += isBlocked ? 1 : 0;
    group.idleSeconds = Math.max(group.idleSeconds, idleSeconds);
    group.outputBytes += outputBytes;
    if (!before) groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => b.clients - a.clients).slice(0, MAX_NAMES);
};

const listedFigures = (all: readonly Client[]) => ({
  listed: all.length,
  idle: all.filter(({ idleSeconds }) => idleSeconds > IDLE_SECONDS).length,
  idleLongestSeconds: all.reduce((max, { idleSeconds }) => Math.max(max, idleSeconds), 0),
  outputBytes: all.reduce((sum, { outputBytes }) => sum + outputBytes, 0),
  byName: groupClients(all),
});

const NOT_LISTED = { listed: null, idle: null, idleLongestSeconds: null, outputBytes: null, byName: null };

/** Connected clients against the limit. The caller hides `byName` from those without `live:view`. */
export const readClients = (source: Source) =>
  readSection(async (optional) => {
    const { connection } = source.ctx;
    const { fields } = await source.info();
    const connected = numberOf(fields, 'connected_clients') ?? 0;
    const reply = connected > MAX_LISTED ? null : await optional(readServer(connection, ['CLIENT', 'LIST']));
    const all = reply instanceof Uint8Array ? clientsOf(Buffer.from(reply)) : null;
    const maxClients =
      numberOf(fields, 'maxclients') ?? (await optional(readSetting(connection, 'maxclients')));
    const figures = {
      ...{ connected, maxClients },
      blocked: numberOf(fields, 'blocked_clients') ?? 0,
      rejected: numberOf(fields, 'rejected_connections') ?? 0,
      ...(all ? listedFigures(all) : NOT_LISTED),
    };
    return {
      figures,
      findings: findingsOf({
        nearLimit: maxClients !== null && maxClients > 0 && connected >= NEAR_LIMIT * maxClients,
        rejected: figures.rejected > 0,
        idle: (figures.idle ?? 0) >= MANY_IDLE,
        output: (figures.outputBytes ?? 0) > MAX_OUTPUT_BYTES,
      }),
    };
  });
