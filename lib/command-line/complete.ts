import 'server-only';
import { nameWords } from '@/lib/calls/shown-call';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { displayBytes } from '@/lib/keyspace/display';
import { OWN_APP } from '@/lib/keyspace/guarded';
import { may } from '@/lib/permissions';
import type { CommandSpec, CommandTable } from '@/lib/redis/command-table';
import { type ParsedCall, parseCall } from '@/lib/redis/parsed-call';
import { type Documentation, documentation, knownCommands } from './documentation';
import { argumentsIn } from './line';
import { SPACE } from './parse';
import { judge } from './policy';
import type { commandLineContracts, ShownDoc, Suggestion } from './schema';

type Completion = Result<typeof commandLineContracts.complete>;

const MAX_SUGGESTIONS = 50;

interface Facts {
  ctx: ReadContext;
  docs: Documentation;
  table: CommandTable;
}

/** Who may run a command, for display. */
const rightsOf = ({ ctx }: Facts, spec: CommandSpec) => {
  const inner = [...(spec.subcommands?.values() ?? [])];
  const verdict = judge(spec);
  // A command with subcommands is as allowed as the first allowed one of them.
  const shown =
    verdict.kind === 'refused'
      ? (inner.map(judge).find(({ kind }) => kind !== 'refused') ?? verdict)
      : verdict;
  const refusal = shown.kind === 'refused' ? shown.refusal : null;
  const needs = shown.kind === 'write' ? ('keys:write' as const) : null;
  const { role } = ctx.actor;
  return {
    kind: shown.kind,
    needs: refusal ? null : needs,
    allowed: refusal === null && (needs === null || (role !== null && may(role, needs))),
    page: refusal?.page ?? null,
    reason: refusal?.reason ?? null,
  };
};

const commandSuggestion = (facts: Facts, spec: CommandSpec, word: string): Suggestion => {
  const { kind, needs, page, reason } = rightsOf(facts, spec);
  return {
    kind: spec.name.includes('|') ? 'subcommand' : 'command',
    text: `${word.toUpperCase()} `,
    label: spec.name.replace('|', ' ').toUpperCase(),
    summary: facts.docs.get(spec.name)?.summary ?? null,
    needs,
    refused: kind === 'refused',
    page,
    reason,
  };
};

const byName = (facts: Facts, table: ReadonlyMap<string, CommandSpec>, typed: string): Suggestion[] =>
  [...table]
    .filter(([name]) => name.startsWith(typed.toLowerCase()))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, spec]) => commandSuggestion(facts, spec, name))
    // What is run comes first.
    .sort((a, b) => Number(a.refused) - Number(b.refused))
    .slice(0, MAX_SUGGESTIONS);

const plain = (
  kind: 'option' | 'family',
  text: string,
  label: string,
  summary: string | null,
): Suggestion => ({
  kind,
  text,
  label,
  summary,
  needs: null,
  refused: false,
  page: null,
  reason: null,
});

/** Beginnings of key names, from the catalog. */
const familiesFor = ({ ctx }: Facts, typed: Buffer): Suggestion[] => {
  const found = new Map<string, Suggestion>();
  for (const family of ctx.catalog.families) {
    const prefix = Buffer.from(family.compiled.literals[0] ?? []);
    const isFit = prefix.length > 0 && prefix.subarray(0, typed.length).equals(typed);
    const text = prefix.toString();
    if (family.app === OWN_APP || family.type === 'channel' || !isFit || /[\s"'\\]/.test(text)) continue;
    if (!found.has(text)) found.set(text, plain('family', text, family.pattern, family.title));
  }
  return [...found.values()].slice(0, MAX_SUGGESTIONS);
};

const OPTION = /(?<![\w-])[A-Z][A-Z0-9]+(?![\w-])/g;

const optionsFor = ({ docs }: Facts, { name }: CommandSpec, typed: string): Suggestion[] =>
  [...new Set(docs.get(name)?.syntax.match(OPTION) ?? [])]
    .filter((word) => word.startsWith(typed.toUpperCase()))
    .map((word) => plain('option', `${word} `, word, null));

/** The parts of a syntax on its first level, so that `[EX seconds | KEEPTTL]` is one. */
const partsOf = (syntax: string): string[] => {
  const parts: string[] = [];
  let depth = 0;
  for (const word of syntax.split(' ').filter(Boolean)) {
    if (depth > 0) parts.push(`${parts.pop()} ${word}`);
    else parts.push(word);
    depth += (word.match(/[[<]/g)?.length ?? 0) - (word.match(/[\]>]/g)?.length ?? 0);
  }
  return parts;
};

const docOf = (facts: Facts, call: ParsedCall & { spec: CommandSpec }, at: number): ShownDoc => {
  const { spec } = call;
  const doc = facts.docs.get(spec.name);
  const syntax = doc?.syntax ?? '';
  const next = partsOf(syntax)
    .slice(Math.max(0, at - nameWords(call)))
    .join(' ');
  return {
    name: spec.name.replace('|', ' ').toUpperCase(),
    syntax,
    next: next || null,
    summary: doc?.summary ?? null,
    since: doc?.since ?? null,
    group: doc?.group ?? null,
    complexity: doc?.complexity ?? null,
    ...rightsOf(facts, spec),
  };
};

/** commandLine.complete: from the tables of commands, which are read once an hour, and the catalog. Sends nothing else. */
export const completeLine = async (
  ctx: ReadContext,
  { line }: Input<typeof commandLineContracts.complete>,
): Promise<Completion> => {
  const words = argumentsIn(line, { isPartial: true });
  const isNew = words.length === 0 || SPACE.test(line.at(-1) ?? '');
  const current = isNew ? null : words.at(-1)!;
  const at = isNew ? words.length : words.length - 1;
  const from = current?.start ?? line.length;
  const typed = Buffer.from(current?.bytes ?? []);
  const facts: Facts = {
    ctx,
    docs: await documentation(ctx.connection),
    table: await knownCommands(ctx.connection),
  };
  // An empty argument stands for the one that is about to be typed.
  const args = words.map(({ bytes }) => Buffer.from(bytes)).concat(isNew ? [Buffer.alloc(0)] : []);
  const call = parseCall(facts.table, args);
  const { spec } = call;
  const text = displayBytes(typed, 64);
  if (at === 0 || !spec) {
    const known = spec && docOf(facts, { ...call, spec }, at);
    return { from, suggestions: at === 0 ? byName(facts, facts.table, text) : [], command: known };
  }
  const command = docOf(facts, { ...call, spec }, at);
  const container = at === 1 ? facts.table.get(args[0]!.toString('latin1').toLowerCase()) : undefined;
  if (container?.subcommands)
    return { from, suggestions: byName(facts, container.subcommands, text), command };
  const suggestions =
    command.kind === 'refused'
      ? []
      : call.keys?.includes(at)
        ? familiesFor(facts, typed)
        : optionsFor(facts, spec, text);
  return { from, suggestions, command };
};
