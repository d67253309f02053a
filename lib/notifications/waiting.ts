import 'server-only';
import { z } from 'zod';
import { DAY } from '@/lib/time';
import type { LoggedEntry } from './entries';

/** Operations that ask others for approval, in any domain. */
const REQUESTS = /(?:^|\.)request$/;
/** Operations that end such a request, in the domain of the request. */
const ENDS = /\.(?:approve|decline|reject|withdraw|cancel|expire)$/;

const MAX_WAITING = 200;
/** A request that ended without an entry of the log is forgotten after this time. */
const MAX_AGE_MS = 30 * DAY;

/** A request that waits for an approval. */
const waiting = z.object({
  /** Its audit id. */
  id: z.string(),
  /** Its own id, if the log has it. */
  request: z.string().nullable(),
  action: z.string(),
  connection: z.string().nullable(),
  target: z.string().nullable(),
  actor: z.string(),
  /** Epoch ms. */
  at: z.number(),
  /** When it ends without a decision; null if the log does not say. */
  until: z.number().nullable(),
  /** Ids of notifications that sent a reminder. */
  reminded: z.array(z.string()),
});
export type Waiting = z.output<typeof waiting>;
export const waitingList = z.array(waiting);

const idIn = (value: unknown): string | null => {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' ? id : null;
};

const domainOf = (action: string): string => action.slice(0, action.lastIndexOf('.') + 1);

export const isRequest = ({ entry }: LoggedEntry): boolean =>
  REQUESTS.test(entry.action) && entry.outcome === 'succeeded';

const isOf = (each: Waiting, { entry }: LoggedEntry): boolean =>
  domainOf(each.action) === domainOf(entry.action) &&
  each.connection === entry.connection &&
  each.target === entry.target;

/** By the id in the decision's input, otherwise by what it was about. */
const isEndedBy = (each: Waiting, logged: LoggedEntry): boolean => {
  const id = idIn(logged.record.input);
  if (id !== null && (each.request !== null || id === each.id)) return id === each.request || id === each.id;
  return isOf(each, logged);
};

const untilIn = (value: unknown): number | null => {
  const until = Date.parse(String((value as { expiresAt?: unknown } | null)?.expiresAt));
  return Number.isNaN(until) ? null : until;
};

/** The requests that wait after these entries, oldest first. */
export const waitingAfter = (
  before: readonly Waiting[],
  logged: readonly LoggedEntry[],
  now: number,
): Waiting[] => {
  let list = before.filter(({ at, until }) => at > now - MAX_AGE_MS && (until === null || until > now));
  for (const each of logged) {
    const { entry } = each;
    if (entry.outcome !== 'succeeded') continue;
    if (ENDS.test(entry.action)) list = list.filter((open) => !isEndedBy(open, each));
    if (!isRequest(each)) continue;
    const { id, action, connection, target, actor } = entry;
    const request = idIn(entry.after);
    const at = Date.parse(entry.at);
    const until = untilIn(entry.after);
    list = [...list, { id, request, action, connection, target, actor, at, until, reminded: [] }];
  }
  return list.slice(-MAX_WAITING);
};
