import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badField } from '@/lib/errors';
import { undoChanges } from './changes';
import { variableMark } from './chart-mark';
import { type DotenvEntry, type DotenvProblem, readDotenv } from './dotenv';
import { execute, planResult } from './execute';
import { impactOfPlan } from './impact';
import { mapYielding, type Plan, type PlanInput, planChanges } from './plan';
import { refusalOf } from './rules';
import { envContracts } from './schema';

/** Variables in one import. */
const MAX_IMPORTED = 2000;

const messages = (problems: readonly { message: string }[]): string[] =>
  problems.map(({ message }) => message);

const inputOf = ({ name, value, line }: DotenvEntry, against: readonly DotenvProblem[]): PlanInput => {
  const bytes = Buffer.from(value);
  const refusal = refusalOf(bytes);
  return {
    name,
    // An invalid value may be megabytes: it is not processed further.
    bytes: refusal ? null : bytes,
    ttlSeconds: null,
    line,
    refusals: [...messages(against), ...(refusal ? [refusal] : [])],
    persists: false,
    checkGuesses: true,
  };
};

/** An invalid line. No name: the text may be part of a secret. */
const refusedLine = ({ line, message }: DotenvProblem): PlanInput => ({
  name: '',
  bytes: null,
  ttlSeconds: null,
  line,
  refusals: [message],
  persists: false,
  checkGuesses: false,
});

const planImport = async (ctx: ReadContext, text: string): Promise<Plan> => {
  const { entries, problems } = await readDotenv(text, MAX_IMPORTED);
  if (entries.length + problems.length > MAX_IMPORTED)
    throw badField('text', `An import has at most ${MAX_IMPORTED} variables.`);
  const lines = new Set(entries.map(({ line }) => line));
  const inputs = [
    ...(await mapYielding(
      entries,
      ({ value }) => value.length,
      (entry) =>
        inputOf(
          entry,
          problems.filter(({ line }) => line === entry.line),
        ),
    )),
    ...problems.filter(({ line }) => !lines.has(line)).map(refusedLine),
  ];
  return planChanges(
    ctx,
    inputs.sort((a, b) => a.line! - b.line!),
  );
};

/** env.import: previews or applies dotenv text. Variables it does not name are not changed. */
export const importVariablesCommand = defineCommand({
  contract: envContracts.import,
  chartMark: variableMark('Variables imported'),
  target: () => 'dotenv text',
  redact: ({ text, anyway }) => ({ bytes: Buffer.byteLength(text), anyway }),
  needsConfirmation: () => true,
  preview: async (ctx: ReadContext, { text }: Input<typeof envContracts.import>) =>
    planResult(await planImport(ctx, text), true),
  impact: async (ctx, { text }) => impactOfPlan(planResult(await planImport(ctx, text), true)),
  actsAs: () => ['env.set', 'env.create'],
  run: async (ctx: WriteContext, { text, etag, anyway }: Input<typeof envContracts.import>) => {
    const replan = () => planImport(ctx, text);
    return execute(ctx, await replan(), { etag, anyway, path: 'text', replan });
  },
  undo: undoChanges,
});
