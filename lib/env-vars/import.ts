import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badInput } from '@/lib/errors';
import { undoChanges } from './changes';
import { variableMark } from './chart-mark';
import { type DotenvEntry, type DotenvProblem, readDotenv } from './dotenv';
import { answerPlan, execute } from './execute';
import { inSteps, type Plan, planChanges, type Wanted } from './plan';
import { refusalOf } from './rules';
import { envContracts } from './schema';

/** Variables of one import; what somebody pastes is looked at line by line. */
const MAX_IMPORTED = 2000;

const messages = (problems: readonly { message: string }[]): string[] =>
  problems.map(({ message }) => message);

const wantedOf = ({ name, value, line }: DotenvEntry, against: readonly DotenvProblem[]): Wanted => {
  const bytes = Buffer.from(value);
  const refusal = refusalOf(bytes);
  return {
    name,
    // What cannot be a value is looked at no further: it may be megabytes.
    bytes: refusal ? null : bytes,
    ttlSeconds: null,
    line,
    refusals: [...messages(against), ...(refusal ? [refusal] : [])],
    persists: false,
    guessed: true,
  };
};

/** A line that is no variable: it has no name, for what stands there may be a piece of a secret. */
const refusedLine = ({ line, message }: DotenvProblem): Wanted => ({
  name: '',
  bytes: null,
  ttlSeconds: null,
  line,
  refusals: [message],
  persists: false,
  guessed: false,
});

const planImport = async (ctx: ReadContext, text: string): Promise<Plan> => {
  const { entries, problems } = await readDotenv(text, MAX_IMPORTED);
  if (entries.length + problems.length > MAX_IMPORTED)
    throw badInput([{ path: 'text', message: `An import has ${MAX_IMPORTED} variables at most.` }]);
  const lines = new Set(entries.map(({ line }) => line));
  const wanted = [
    ...(await inSteps(
      entries,
      ({ value }) => value.length,
      (entry) =>
        wantedOf(
          entry,
          problems.filter(({ line }) => line === entry.line),
        ),
    )),
    ...problems.filter(({ line }) => !lines.has(line)).map(refusedLine),
  ];
  return planChanges(
    ctx,
    wanted.sort((a, b) => a.line! - b.line!),
  );
};

/** Dotenv text: what it would change, or all of it at once. What it does not name stays as it is. */
export const importVariablesCommand = defineCommand({
  contract: envContracts.import,
  chartMark: variableMark('Variables imported'),
  target: () => 'dotenv text',
  redact: ({ text, anyway }) => ({ bytes: Buffer.byteLength(text), anyway }),
  needsConfirmation: () => true,
  preview: async (ctx: ReadContext, { text }: Input<typeof envContracts.import>) =>
    answerPlan(await planImport(ctx, text), true),
  run: async (ctx: WriteContext, { text, etag, anyway }: Input<typeof envContracts.import>) => {
    const again = () => planImport(ctx, text);
    return execute(ctx, await again(), { etag, anyway, path: 'text', again });
  },
  undo: undoChanges,
});
