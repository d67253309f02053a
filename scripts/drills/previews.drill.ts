// Twenty concurrent previews by five users must not raise the application's p99 more than one does.
import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateConsole } from '../testing/private-console';
import { keepApart, type Load, processOf, quantile, startLoad } from '../testing/steady-load';
import { get, MAIN, post, tokensOf, until } from './api';
import { seedPlainAuthors } from './keys';
import { type Report, withConsole } from './report';

const KEYS = 300_000;
const READS_PER_SECOND = 3000;
/** It scans all keys and matches eleven. */
const TARGET = { pattern: 'author:id:29999*' };

/** Short and alternating, so that other work on the machine affects all kinds equally. */
const ROUNDS = 6;
const SLICES = 3;
const SLICE_MS = 500;
const PHASES = { none: 0, one: 1, twenty: 20 };
type Phase = keyof typeof PHASES;
const PER_USER = 4;
const PEOPLE = PHASES.twenty / PER_USER;

/** Differences below this, ms, are noise of the machine. */
const MIN_NOISE_MS = 0.3;
/** Twenty fill the pauses between calls, but not more. */
const MAX_SCAN_RATIO = 1.5;

interface Figures {
  p99s: number[];
  scans: number;
  scanMicros: number;
  previews: number;
  failed: number;
}

const scansOf = async ({ app }: PrivateConsole): Promise<[calls: number, micros: number]> => {
  const [, calls = 0, micros = 0] =
    /cmdstat_scan:calls=(\d+),usec=(\d+)/.exec(await app.client.info('commandstats')) ?? [];
  return [Number(calls), Number(micros)];
};

/** Runs this many previews concurrently, each repeated after its answer, while reads are measured. */
const measure = async (
  own: PrivateConsole,
  load: Load,
  people: readonly string[],
  figures: Figures,
): Promise<void> => {
  let over = false;
  const work = people.map(async (apiToken) => {
    while (!over) {
      const { status } = await post({ ...own, apiToken }, `${MAIN}/families/preview`, TARGET);
      figures.previews += 1;
      if (status !== 200) figures.failed += 1;
    }
  });
  await delay(SLICE_MS / 2);
  await load.read();
  const before = await scansOf(own);
  for (let slice = 0; slice < SLICES; slice++) {
    await delay(SLICE_MS);
    figures.p99s.push((await load.read()).p99);
  }
  const [calls, micros] = await scansOf(own);
  figures.scans += calls - before[0];
  figures.scanMicros += micros - before[1];
  over = true;
  await Promise.all(work);
};

const drill = async (own: PrivateConsole, report: Report): Promise<void> => {
  await seedPlainAuthors(own.app.client, KEYS);
  const tokens = await tokensOf(own, 'product', PEOPLE);
  const people = tokens.flatMap((token) => new Array<string>(PER_USER).fill(token));
  await until('a census', async () => {
    const { body } = await get<{ countedAt: string | null }>(own, `${MAIN}/families`);
    return body.countedAt;
  });
  const empty = (): Figures => ({ p99s: [], scans: 0, scanMicros: 0, previews: 0, failed: 0 });
  const figures: Record<Phase, Figures> = { none: empty(), one: empty(), twenty: empty() };
  const load = await startLoad(own.app.url, READS_PER_SECOND, KEYS);
  keepApart(
    [load.pid, await processOf(own.app.client)],
    [...(await own.processes()), await processOf(own.store.client)],
  );
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const [phase, count] of Object.entries(PHASES) as [Phase, number][])
        await measure(own, load, people.slice(0, count), figures[phase]);
  } finally {
    load.stop();
  }
  const seconds = (ROUNDS * SLICES * SLICE_MS) / 1000;
  const median = (phase: Phase) => quantile(figures[phase].p99s, 0.5);
  for (const [phase, { p99s, scans, scanMicros, previews }] of Object.entries(figures) as [Phase, Figures][])
    report.say(
      `${phase}: p99 ${median(phase).toFixed(2)} ms (${quantile(p99s, 0.1).toFixed(2)}–${quantile(p99s, 0.9).toFixed(2)}), ${Math.round(scans / seconds)} SCANs/s keeping the server ${(scanMicros / seconds / 10_000).toFixed(1)} % of the time, ${previews} previews`,
    );
  const noise = Math.max(
    MIN_NOISE_MS,
    (quantile(figures.one.p99s, 0.9) - quantile(figures.one.p99s, 0.1)) / 2,
  );
  const rise = median('twenty') - median('one');
  report.check(
    'p99 during twenty previews is no more than during one, within half of its own variation',
    rise <= noise,
    `${rise.toFixed(2)} ms more, ${noise.toFixed(2)} ms is noise`,
  );
  const ratio = figures.twenty.scanMicros / figures.one.scanMicros;
  report.check(
    `twenty previews take at most ${MAX_SCAN_RATIO} times the SCAN time of one`,
    ratio <= MAX_SCAN_RATIO,
    `${ratio.toFixed(2)} times`,
  );
  const failed = figures.one.failed + figures.twenty.failed;
  report.check('and each of them is answered', failed === 0, `${failed} refused or failed`);
};

export const run = (report: Report): Promise<void> =>
  withConsole([{ environment: 'development' }], (own) => drill(own, report));
