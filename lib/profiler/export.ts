import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import { csvCell } from '@/lib/csv';
import { notFound } from '@/lib/errors';
import { readRecord } from '@/lib/jobs/record';
import { type Profile, profile, profilerContracts } from './schema';

const COLUMNS = [
  'section',
  'name',
  'family',
  'calls',
  'perSecond',
  'share',
  'connections',
  'serverCalls',
  'microsPerCall',
  'serverShare',
  'estimatedMicros',
  'slowestMicros',
  'at',
  'client',
  'user',
  'arguments',
  'value',
] as const;
type Row = Partial<Record<(typeof COLUMNS)[number], string | number | null>>;

function* rowsOf(of: Profile): Generator<Row> {
  const { ended, cost, filter, unknown, families, commands, clients, users, patterns, slow, sample } = of;
  const { startedAt, askedSeconds, elapsedSeconds, observedSeconds, calls, commandsPerSecond } = of;
  const facts = { startedAt, askedSeconds, elapsedSeconds, observedSeconds, calls, commandsPerSecond };
  const about = {
    ...facts,
    ended: ended.text ?? ended.why,
    ...cost,
    exceeded: String(cost.exceeded),
    filter: JSON.stringify(filter),
    unknown: unknown.join(' '),
  };
  for (const [name, value] of Object.entries(about)) yield { section: 'profile', name, value };
  for (const { title, ...row } of families ?? [])
    yield { section: 'family', name: title ?? row.family, ...row };
  for (const { command, ...row } of commands ?? []) yield { section: 'command', name: command, ...row };
  for (const { client, ...row } of clients) yield { section: 'client', name: client, ...row };
  for (const { user, ...row } of users) yield { section: 'user', name: user, ...row };
  for (const { pattern, ...row } of patterns ?? []) yield { section: 'pattern', name: pattern, ...row };
  for (const { command, micros, families: of, ...row } of slow ?? [])
    yield { section: 'slow', name: command, value: micros, ...row, family: of?.join(' ') ?? null };
  for (const { command, families: of, ...row } of sample)
    yield { section: 'sample', name: command, ...row, family: of?.join(' ') ?? null };
}

const csvOf = (of: Profile): string => {
  const lines = [...rowsOf(of)].map((row) => COLUMNS.map((column) => csvCell(row[column])).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
};

/** profiler.export: the profile of a job. 404 without one. */
export const exportProfile = async (
  { store, connection }: ReadContext,
  { jobId, format }: Input<typeof profilerContracts.export>,
) => {
  const record = await readRecord(store, jobId);
  const isOurs = record?.action === profilerContracts.start.id && record.connection === connection.config.id;
  const parsed = profile.safeParse(isOurs ? record.result : null);
  if (!parsed.success) throw notFound('This profile');
  const text = format === 'csv' ? csvOf(parsed.data) : `${JSON.stringify(parsed.data)}\n`;
  return {
    body: [text],
    contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
    fileName: `keyward-${connection.config.id}-profile.${format}`,
  };
};
