import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import { badField, Problem } from '@/lib/errors';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { maskSecrets } from '@/lib/keyspace/mask';
import { connectionOf, nameOf, openOne, replace } from './change';
import { addressOf, newSecret, openSecrets, sealSecrets, send, targetOf } from './channel';
import { usesOfChannel } from './channel-uses';
import { alertChannelContracts as contracts, MAX_CHANNELS } from './channels/schema';
import { countTest } from './count-test';
import { outgoingOf, testMessage } from './message';
import { forgetResult, recordResult } from './results';
import { etagOf, languageOf, readAll, replaceOne, type StoredChannel, storedChannel } from './stored-rule';

/** What the audit log stores: recipients of mail are only counted. */
const shown = (channel: StoredChannel): AuditJson => {
  const { name, kind, target } = channel;
  const recipients = target.split(', ').length;
  const language = languageOf(channel);
  return { name, kind, language, ...(kind === 'email' ? { recipients } : { target }) };
};

const kept = z.object({ id: z.string(), before: storedChannel.nullable(), after: storedChannel.nullable() });

/** Restores a channel while it is as the change left it. Its address stays sealed on the way. */
const undo = async (ctx: WriteContext, data: AuditJson) => {
  const { id, before, after } = kept.parse(data);
  const result = await replaceOne(ctx.store, 'channels', connectionOf(ctx), id, {
    before: after === null ? null : JSON.stringify(after),
    after: before,
    max: MAX_CHANNELS,
  });
  const what = (before ?? after)?.name ?? 'an alert channel';
  const conflicts = result === 'ok' ? [] : [{ what, why: 'It was changed meanwhile.' }];
  return { undone: 1 - conflicts.length, conflicts };
};

/** Channels are in the console's store, so a read-only connection takes their changes too. */
const ofTheConsole = {
  isNoOp: async () => true,
  undo,
  undoOfConsole: true,
} as const;

export const createChannel = defineCommand({
  contract: contracts.create,
  target: ({ name }) => maskSecrets(name, false),
  redact: ({ name, kind, language }) => ({ name: maskSecrets(name, false), kind, language }),
  isNoOp: async () => true,
  run: async (ctx, { name, kind, language, url, to }) => {
    const id = ctx.auditId;
    const secret = kind === 'webhook' ? newSecret() : null;
    const secrets = { ...addressOf(kind, { url, to }), ...(secret !== null && { secret }) };
    const channel = storedChannel.parse({
      id,
      kind,
      name: maskSecrets(name, false),
      target: targetOf(secrets),
      sealed: sealSecrets(connectionOf(ctx), id, secrets),
      createdBy: ctx.actor.name,
      changedAt: ctx.now(),
      language,
    });
    await replace(ctx, 'channels', id, null, channel);
    return { result: { id, etag: etagOf(channel), secret }, after: shown(channel) };
  },
});

export const updateChannel = defineCommand({
  contract: contracts.update,
  target: nameOf('channels'),
  redact: ({ name, language, url, to, newSecret: renew }) => ({
    ...(name !== undefined && { name: maskSecrets(name, false) }),
    ...(language !== undefined && { language }),
    newAddress: url !== undefined || to !== undefined,
    newSecret: renew ?? false,
  }),
  ...ofTheConsole,
  run: async (ctx, { id, etag, name, language, url, to, newSecret: renew = false }) => {
    const { value: before, text } = await openOne(ctx, 'channels', id, etag);
    const connection = connectionOf(ctx);
    const opened = openSecrets(connection, before);
    if (renew && before.kind !== 'webhook') throw badField('newSecret', 'Only webhooks are signed.');
    const isNew = url !== undefined || to !== undefined;
    if (!opened && !isNew)
      throw new Problem('conflict', 'It was sealed under another key: enter its address again.');
    const secret = before.kind === 'webhook' && (renew || !opened) ? newSecret() : null;
    const secrets = {
      ...opened,
      ...(isNew && addressOf(before.kind, { url, to })),
      ...(secret !== null && { secret }),
    };
    const after: StoredChannel = {
      ...before,
      ...(name !== undefined && { name: maskSecrets(name, false) }),
      ...(language !== undefined && { language }),
      target: targetOf(secrets),
      sealed: sealSecrets(connection, id, secrets),
      changedAt: ctx.now(),
    };
    await replace(ctx, 'channels', id, text, after);
    return {
      result: { id, etag: etagOf(after), secret },
      before: shown(before),
      after: shown(after),
      undo: { id, before, after },
    };
  },
});

export const deleteChannel = defineCommand({
  contract: contracts.delete,
  target: nameOf('channels'),
  redact: () => ({}),
  ...ofTheConsole,
  run: async (ctx, { id, etag }) => {
    const { value: before, text } = await openOne(ctx, 'channels', id, etag);
    const rules = await readAll(ctx.store, 'rules', connectionOf(ctx));
    const users = [...rules.values()].filter(({ channels }) => channels.includes(id));
    if (users.length > 0)
      throw new Problem(
        'conflict',
        `${users.length === 1 ? 'A rule uses' : `${users.length} rules use`} this channel: ${users[0]!.name}. Remove it there first.`,
      );
    const [other] = await usesOfChannel(ctx.store, connectionOf(ctx), id);
    if (other !== undefined)
      throw new Problem('conflict', `A notification uses this channel: ${other}. Remove it there first.`);
    await replace(ctx, 'channels', id, text, null);
    await forgetResult(ctx.store, connectionOf(ctx), id).catch(() => undefined);
    return { result: { id }, before: shown(before), undo: { id, before, after: null } };
  },
});

/** alerts.test: one attempt, now, with its true result. */
export const testChannel = defineCommand({
  contract: contracts.test,
  target: nameOf('channels'),
  redact: () => ({}),
  isNoOp: async () => true,
  admits: (ctx) => countTest(ctx.store, consoleFamilies.alertTests.key({ connection: connectionOf(ctx) })),
  run: async (ctx, { id }) => {
    const { value: channel } = await openOne(ctx, 'channels', id);
    const started = performance.now();
    const language = languageOf(channel);
    const message = testMessage(connectionOf(ctx), ctx.auditId, ctx.actor.name, language);
    const attempt = await send(connectionOf(ctx), channel, outgoingOf(message, language));
    await recordResult(ctx.store, connectionOf(ctx), id, attempt, ctx.now());
    const { delivered, status, error } = attempt;
    const state = delivered ? ('delivered' as const) : ('failed' as const);
    const ms = Math.round(performance.now() - started);
    return { result: { state, status, ms, error }, after: { state, status, error } };
  },
});
