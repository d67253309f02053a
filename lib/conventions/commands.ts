import 'server-only';
import { z } from 'zod';
import { defineCommand } from '@/lib/command/define';
import { badField, notFound, Problem } from '@/lib/errors';
import { maskSecrets } from '@/lib/keyspace/mask';
import { DAY, iso } from '@/lib/time';
import { conventionContracts } from './schema';
import {
  countWaivers,
  deleteWaiver,
  readWaiver,
  type StoredWaiver,
  storedWaiver,
  writeWaiver,
} from './waivers';

const MAX_WAIVERS = 500;
const MAX_MS = 3660 * DAY;

const label = ({
  rule,
  family,
}: Pick<StoredWaiver, 'rule'> & { family?: string | null | undefined }): string =>
  family ? `${rule} of ${family}` : rule;

const shown = ({ rule, family, why, until }: StoredWaiver) => ({ rule, family, why, until: iso(until) });

const untilIn = (text: string, now: number): number => {
  const until = Date.parse(text);
  if (until <= now) throw badField('until', 'This time is in the past.');
  if (until > now + MAX_MS) throw badField('until', 'This is more than ten years ahead.');
  return until;
};

const kept = z.object({ id: z.string(), waiver: storedWaiver });

/**
 * conventions.waive: accepts the violations of a rule. It is stored in the console's store, so it works on a read-only
 * connection.
 */
export const waive = defineCommand({
  contract: conventionContracts.waive,
  target: label,
  redact: ({ rule, family, why, until }) => ({
    rule,
    family: family ?? null,
    why: maskSecrets(why, false),
    until,
  }),
  isNoOp: async () => true,
  run: async (ctx, { rule, family = null, why, until }) => {
    if (family !== null && !ctx.catalog.get(family))
      throw badField('family', "No family of this connection's catalog has this id.");
    const { id: connection } = ctx.connection.config;
    if ((await countWaivers(ctx.store, connection)) >= MAX_WAIVERS)
      throw new Problem('conflict', `There are ${MAX_WAIVERS} waivers already: end some first.`);
    const waiver: StoredWaiver = {
      rule,
      family,
      why: maskSecrets(why, false),
      until: untilIn(until, ctx.now()),
      who: ctx.actor.name,
    };
    await writeWaiver(ctx.store, connection, ctx.auditId, waiver);
    return { result: { id: ctx.auditId }, after: shown(waiver), undo: { id: ctx.auditId, waiver } };
  },
  undo: async (ctx, data) => {
    const { id, waiver } = kept.parse(data);
    const ended = await deleteWaiver(ctx.store, ctx.connection.config.id, id);
    const conflicts = ended ? [] : [{ what: label(waiver), why: 'It was ended meanwhile.' }];
    return { undone: ended ? 1 : 0, conflicts };
  },
  undoOfConsole: true,
});

/** conventions.unwaive: ends a waiver. Waivers of a policy file are removed there. */
export const unwaive = defineCommand({
  contract: conventionContracts.unwaive,
  target: async ({ id }, { store, connection }) => {
    const waiver = await readWaiver(store, connection.config.id, id);
    return waiver ? label(waiver) : 'a waiver';
  },
  redact: () => ({}),
  isNoOp: async () => true,
  run: async (ctx, { id }) => {
    const { id: connection } = ctx.connection.config;
    const waiver = await readWaiver(ctx.store, connection, id);
    if (!waiver || !(await deleteWaiver(ctx.store, connection, id)))
      throw notFound('This waiver of the console');
    return { result: { id }, before: shown(waiver), undo: { id, waiver } };
  },
  undo: async (ctx, data) => {
    const { id, waiver } = kept.parse(data);
    const restored = await writeWaiver(ctx.store, ctx.connection.config.id, id, waiver);
    const conflicts = restored ? [] : [{ what: label(waiver), why: 'It exists again.' }];
    return { undone: restored ? 1 : 0, conflicts };
  },
  undoOfConsole: true,
});
