import 'server-only';
import { send } from '@/lib/alerts/channel';
import { countTest } from '@/lib/alerts/count-test';
import { recordResult } from '@/lib/alerts/results';
import { languageOf, readOne } from '@/lib/alerts/stored-rule';
import type { ConsoleContext, ConsoleWriteContext } from '@/lib/command/context';
import { type AuditJson, defineConsoleCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badField, notFound, Problem } from '@/lib/errors';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { maskSecrets } from '@/lib/keyspace/mask';
import type { Store } from '@/lib/redis/store';
import { deleteMessagesOf, readChannels } from './messages';
import { outgoingOf, written } from './notice';
import { type ChannelRef, notificationContracts as contracts, MAX_NOTIFICATIONS } from './schema';
import {
  etagOf,
  readNotification,
  replaceNotification,
  type StoredNotification,
  storedNotification,
} from './stored';
import { testNotice } from './texts';

type Given = Omit<Input<typeof contracts.create>, 'reason' | 'confirm'>;

/** What the audit log stores. */
const shown = ({ name, about, filter, when, hour, timeZone, channels }: Given): AuditJson => ({
  name: maskSecrets(name, false),
  about,
  filter: Object.fromEntries(
    Object.entries(filter).map(([field, text]) => [field, maskSecrets(String(text), false)]),
  ),
  when: when === 'now' ? when : `${hour}:00 ${timeZone}`,
  channels: channels.map(({ connection, channel }) => `${connection}/${channel}`),
});

/** Each channel once. Throws 400 for one that does not exist. */
const existing = async (store: Store, refs: readonly ChannelRef[]): Promise<ChannelRef[]> => {
  const channels = await readChannels(
    store,
    refs.map(({ connection }) => connection),
  );
  if (refs.some(({ connection, channel }) => !channels.get(connection)?.has(channel)))
    throw badField('channels', 'A channel does not exist.');
  return [...new Map(refs.map((ref) => [`${ref.connection}/${ref.channel}`, ref])).values()];
};

const checked = async ({ store }: ConsoleContext, given: Given): Promise<Given> => ({
  ...given,
  name: maskSecrets(given.name, false),
  about: [...new Set(given.about)],
  channels: await existing(store, given.channels),
});

const givenIn = ({ reason: _, confirm: __, ...given }: Input<typeof contracts.create>): Given => given;

/** 412 with the present etag. */
const changedMeanwhile = (present: StoredNotification): Problem =>
  new Problem('changed', 'This notification was changed since you read it. Nothing was changed now.', {
    extensions: { etag: etagOf(present) },
  });

/** Throws 404 where there is none, and 412 where it has another etag. */
const openOne = async ({ store }: ConsoleContext, id: string, etag?: string) => {
  const found = await readNotification(store, id);
  if (!found) throw notFound('This notification');
  if (etag !== undefined && etagOf(found.value) !== etag) throw changedMeanwhile(found.value);
  return found;
};

const replace = async (
  ctx: ConsoleWriteContext,
  id: string,
  before: string | null,
  after: StoredNotification | null,
): Promise<void> => {
  const result = await replaceNotification(ctx.store, id, before, after);
  if (result === 'full')
    throw new Problem('conflict', `There are ${MAX_NOTIFICATIONS} notifications already: delete some first.`);
  if (result === 'changed') throw changedMeanwhile((await openOne(ctx, id)).value);
};

const nameOf = async ({ id }: { id: string }, { store }: ConsoleContext): Promise<string> =>
  (await readNotification(store, id))?.value.name ?? 'a notification';

export const createNotification = defineConsoleCommand({
  contract: contracts.create,
  target: ({ name }) => maskSecrets(name, false),
  redact: shown,
  run: async (ctx, input) => {
    const id = ctx.auditId;
    const given = await checked(ctx, givenIn(input));
    const [createdAt, createdBy] = [ctx.now(), ctx.actor.name];
    const stored = storedNotification.parse({ ...given, id, createdBy, createdAt, changedAt: createdAt });
    await replace(ctx, id, null, stored);
    return { result: { id, etag: etagOf(stored) }, after: shown(stored) };
  },
});

export const updateNotification = defineConsoleCommand({
  contract: contracts.update,
  target: nameOf,
  redact: shown,
  run: async (ctx, { id, etag, ...input }) => {
    const { value: before, text } = await openOne(ctx, id, etag);
    const given = await checked(ctx, givenIn(input));
    const { createdBy, createdAt } = before;
    const after = storedNotification.parse({ ...given, id, createdBy, createdAt, changedAt: ctx.now() });
    await replace(ctx, id, text, after);
    return { result: { id, etag: etagOf(after) }, before: shown(before), after: shown(after) };
  },
});

export const deleteNotification = defineConsoleCommand({
  contract: contracts.delete,
  target: nameOf,
  redact: () => ({}),
  run: async (ctx, { id, etag }) => {
    const { value: before, text } = await openOne(ctx, id, etag);
    await replace(ctx, id, text, null);
    await deleteMessagesOf(ctx.store, id);
    return { result: { id }, before: shown(before) };
  },
});

const testOne = async (ctx: ConsoleWriteContext, name: string, { connection, channel }: ChannelRef) => {
  const found = (await readOne(ctx.store, 'channels', connection, channel))?.value;
  if (!found) throw badField('channels', 'A channel does not exist.');
  const started = performance.now();
  const language = languageOf(found);
  const notice = await written(testNotice(name, ctx.actor.name, ctx.now()), [language]);
  const outgoing = outgoingOf(`${ctx.auditId}-${channel}`, notice, language);
  const attempt = await send(connection, found, outgoing);
  await recordResult(ctx.store, connection, channel, attempt, ctx.now());
  const { delivered, status, error } = attempt;
  const state = delivered ? ('delivered' as const) : ('failed' as const);
  const ms = Math.round(performance.now() - started);
  return { connection, channel, name: found.name, state, status, ms, error };
};

/** notifications.test: one attempt to each channel, now, with its true result. */
export const testNotification = defineConsoleCommand({
  contract: contracts.test,
  target: ({ name }) => maskSecrets(name, false),
  redact: ({ channels }) => ({ channels: channels.map((ref) => `${ref.connection}/${ref.channel}`) }),
  admits: ({ store }) => countTest(store, consoleFamilies.notificationTests.key()),
  run: async (ctx, { name, channels }) => {
    const refs = await existing(ctx.store, channels);
    const results = await Promise.all(refs.map((ref) => testOne(ctx, maskSecrets(name, false), ref)));
    return {
      result: { results },
      after: results.map(({ state, status, error }) => ({ state, status, error })),
    };
  },
});
