// The console's memory while it counts, analyses and checks a large keyspace. KEYWARD_DRILL_KEYS=5000000 for another size.
import type { Redis } from 'ioredis';
import type { PrivateConsole } from '../testing/private-console';
import { begin, get, MAIN, summaryOfJob, until, untilOver } from './api';
import { memoryOf } from './memory-of';
import { type Report, withConsole } from './report';

const KEYS = Number(process.env.KEYWARD_DRILL_KEYS ?? 1_000_000);
/** Peak in MB: beyond two million keys slightly more is allowed. */
const MAX_MB = KEYS > 2_000_000 ? 340 : 300;
/** About 500 bytes per key for a million; larger keyspaces have small keys, so that the machine can hold them. */
const VALUE_BYTES = KEYS > 2_000_000 ? 20 : 400;
const BATCH = 10_000;
const DEADLINE_MS = 1_200_000;

/** Half of the keys have a family. The others have a thousand different beginnings, or are bare numbers. */
const seed = async (redis: Redis): Promise<void> => {
  for (let from = 0; from < KEYS; from += BATCH)
    await redis.eval(
      `local value = string.rep('x', tonumber(ARGV[3]))
       for i = tonumber(ARGV[1]), tonumber(ARGV[1]) + tonumber(ARGV[2]) - 1 do
         local kind = i % 8
         if kind < 3 then redis.call('SET', 'author:id:' .. i, value, 'EX', 3600 + i % 7200)
         elseif kind == 3 then redis.call('HSET', 'video_' .. i, 'ID', i, 'Title', value)
         elseif kind == 4 then redis.call('SET', 'unknown' .. (i % 1000) .. ':thing:' .. i, value)
         elseif kind == 5 then redis.call('SET', 'x' .. redis.sha1hex(i), value, 'EX', 600)
         elseif kind == 6 then redis.call('RPUSH', 'Some/Path/' .. i, value, i)
         else redis.call('SET', i, value) end
       end`,
      0,
      from,
      BATCH,
      VALUE_BYTES,
    );
};

/** The sum of the peaks of all serving processes, MB. */
const peak = async (own: PrivateConsole): Promise<number> => Math.round(await memoryOf(own, 'VmHWM'));

export const run = (report: Report): Promise<void> =>
  withConsole([], async (own) => {
    await seed(own.app.client);
    const size = await own.app.client.dbsize();
    report.say(`${size} keys; the console's peak before: ${await peak(own)} MB`);
    // A census that began during the writes has fewer keys; the jobs below read all of them.
    await until(
      'the first count',
      async () => {
        const { body } = await get<{ last: { keys: number } | null }>(own, `${MAIN}/walk`);
        return body.last ? true : null;
      },
      DEADLINE_MS,
    );
    report.say(`after the first count: ${await peak(own)} MB`);
    for (const path of ['analysis', 'conventions/check']) {
      const { jobId } = await begin(own, `${MAIN}/${path}`, {});
      const job = await untilOver(own, jobId, DEADLINE_MS);
      report.check(`${path} completes`, job.state === 'done', summaryOfJob(job));
      report.say(`after ${path}: ${await peak(own)} MB`);
    }
    const mb = await peak(own);
    report.check(`the console never uses more than ${MAX_MB} MB`, mb <= MAX_MB, `${mb} MB at its peak`);
  });
