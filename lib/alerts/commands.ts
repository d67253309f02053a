import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badInput, type FieldError } from '@/lib/errors';
import { figureDefinition } from '@/lib/figures/registry';
import { maskSecrets } from '@/lib/keyspace/mask';
import { logBroken } from '@/lib/log';
import { MINUTE, SECOND } from '@/lib/time';
import { connectionOf, nameOf, openOne, replace } from './change';
import { clearFault } from './compare';
import { limitInWords, seriesId, unitOf } from './message';
import { alertContracts, MAX_RULES } from './schema';
import { changeSilences } from './silence-commands';
import {
  etagOf,
  readAll,
  replaceOne,
  type StoredRule,
  type StoredSilence,
  storedRule,
  storedSilence,
} from './stored-rule';

type Given = Omit<Input<typeof alertContracts.create>, 'reason' | 'confirm'>;

const MIN_WINDOW_SECONDS = MINUTE / SECOND;

/** What is wrong with a rule beyond its fields. */
const problemsOf = (given: Given, channels: ReadonlySet<string>): FieldError[] => {
  const problems: FieldError[] = [];
  const wrong = (path: string, message: string) => problems.push({ path, message });
  const { source, condition, value, clear, windowSeconds } = given;
  const definition = figureDefinition(source.metric);
  if (!definition) wrong('source.metric', 'No figure of this console has this name.');
  const other = Object.keys(source.labels).find((name) => definition?.labels.includes(name) === false);
  if (other !== undefined) wrong('source.labels', `This figure has no label ${maskSecrets(other, false)}.`);
  const isShare = definition?.unit === 'ratio' && !(condition === 'change' && given.changeIn === 'percent');
  for (const [path, limit] of Object.entries({ value, clear }))
    if (isShare && limit !== null && (Math.abs(limit) > 1 || (limit < 0 && condition !== 'change')))
      wrong(path, 'This figure is a ratio from 0 to 1: 0.8 for 80 %.');
  if (condition === 'change' && value === 0) wrong('value', 'A change of 0 is none.');
  if (condition === 'change' && windowSeconds < MIN_WINDOW_SECONDS)
    wrong('windowSeconds', `Must be ${MIN_WINDOW_SECONDS} or more.`);
  const fault = clearFault(given);
  if (fault) wrong('clear', fault);
  const missing = given.channels.find((id) => !channels.has(id));
  if (missing !== undefined) wrong('channels', 'A channel does not exist.');
  return problems;
};

const checked = async (ctx: WriteContext, given: Given): Promise<Given> => {
  const channels = await readAll(ctx.store, 'channels', ctx.connection.config.id);
  const problems = problemsOf(given, new Set(channels.keys()));
  if (problems.length > 0) throw badInput(problems);
  return {
    ...given,
    name: maskSecrets(given.name, false),
    description: maskSecrets(given.description, false),
    channels: [...new Set(given.channels)],
  };
};

const fieldsOf = (input: Input<typeof alertContracts.create>): Given => {
  const { reason: _, confirm: __, ...given } = input;
  return given;
};

/** What the audit log stores of a rule. */
const shown = (rule: StoredRule): AuditJson => ({
  name: rule.name,
  severity: rule.severity,
  limit: limitInWords(rule, unitOf(rule)),
  source: maskSecrets(seriesId(rule.source.metric, rule.source.labels), false),
  clear: rule.clear,
  onNoData: rule.onNoData,
  channels: rule.channels,
});

const redacted = ({ name, severity, source, condition, value, channels }: Given): AuditJson => ({
  name: maskSecrets(name, false),
  severity,
  condition,
  value,
  channels,
  source: maskSecrets(seriesId(source.metric, source.labels), false),
});

const kept = z.object({
  id: z.string(),
  /** As it was, and as the change left it; null: absent. */
  before: storedRule.nullable(),
  after: storedRule.nullable(),
  silences: z.array(storedSilence).default([]),
});

/** After its rule, which is gone also when this fails. Returns those that an undo must restore. */
const deleteSilences = (ctx: WriteContext, id: string): Promise<StoredSilence[]> =>
  changeSilences(ctx, id, () => []).catch((error: unknown) => {
    logBroken('deleting the silences of an alert rule', error);
    return [];
  });

/** Restores a rule, silenced as it was, while it is as the change left it. */
const undo = async (ctx: WriteContext, data: AuditJson) => {
  const { id, before, after, silences } = kept.parse(data);
  // Before the rule, which would fire at once.
  if (silences.length > 0) await changeSilences(ctx, id, () => silences);
  const restored = await replaceOne(ctx.store, 'rules', connectionOf(ctx), id, {
    before: after === null ? null : JSON.stringify(after),
    after: before,
    max: MAX_RULES,
  });
  const what = (before ?? after)?.name ?? 'an alert rule';
  if (restored !== 'ok') {
    if (silences.length > 0) await changeSilences(ctx, id, () => []);
    const why = restored === 'full' ? `There are ${MAX_RULES} rules.` : 'It was changed meanwhile.';
    return { undone: 0, conflicts: [{ what, why }] };
  }
  if (before === null) await deleteSilences(ctx, id);
  const channels = await readAll(ctx.store, 'channels', connectionOf(ctx));
  const lost = before?.channels.some((channel) => !channels.has(channel)) ?? false;
  return { undone: 1, conflicts: lost ? [{ what, why: 'One of its channels was deleted.' }] : [] };
};

/** Rules are in the console's store, so a read-only connection takes their changes too. */
const ofTheConsole = {
  isNoOp: async () => true,
  undo,
  undoOfConsole: true,
} as const;

export const createAlert = defineCommand({
  contract: alertContracts.create,
  target: ({ name }) => maskSecrets(name, false),
  redact: redacted,
  ...ofTheConsole,
  run: async (ctx, input) => {
    const id = ctx.auditId;
    const rule = storedRule.parse({
      ...(await checked(ctx, fieldsOf(input))),
      id,
      createdBy: ctx.actor.name,
      changedAt: ctx.now(),
    });
    await replace(ctx, 'rules', id, null, rule);
    const undoData = { id, before: null, after: rule };
    return { result: { id, etag: etagOf(rule) }, after: shown(rule), undo: undoData };
  },
});

export const updateAlert = defineCommand({
  contract: alertContracts.update,
  target: nameOf('rules'),
  redact: redacted,
  ...ofTheConsole,
  run: async (ctx, { id, etag, ...input }) => {
    const { value: before, text } = await openOne(ctx, 'rules', id, etag);
    const after = storedRule.parse({
      ...(await checked(ctx, fieldsOf(input))),
      id,
      createdBy: before.createdBy,
      changedAt: ctx.now(),
    });
    await replace(ctx, 'rules', id, text, after);
    return {
      result: { id, etag: etagOf(after) },
      before: shown(before),
      after: shown(after),
      undo: { id, before, after },
    };
  },
});

export const deleteAlert = defineCommand({
  contract: alertContracts.delete,
  target: nameOf('rules'),
  redact: () => ({}),
  ...ofTheConsole,
  run: async (ctx, { id, etag }) => {
    const { value: before, text } = await openOne(ctx, 'rules', id, etag);
    await replace(ctx, 'rules', id, text, null);
    const silences = await deleteSilences(ctx, id);
    return { result: { id }, before: shown(before), undo: { id, before, after: null, silences } };
  },
});
