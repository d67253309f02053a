// Four roles repeatedly open every page, during censuses: the console's memory stays constant.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, chromium } from '@playwright/test';
import { hrefOf, pagesFor } from '@/components/shell/pages';
import { ROLES, type Role } from '@/lib/permissions';
import { ensureChromium } from '../chromium.mjs';
import type { PrivateConsole } from '../testing/private-console';
import { signIn } from '../testing/sign-in';
import { begin, MAIN, post, untilOver } from './api';
import { seedAll } from './changes';
import { seedAuthors, seedSessions } from './keys';
import { memoryOf } from './memory-of';
import { type Report, withConsole } from './report';

const SECONDS = Number(process.env.KEYWARD_DRILL_SECONDS ?? 900);
/** In the last third it must be constant. */
const LAST_MS = (SECONDS / 3) * 1000;
const MAX_MB = 320;
const MAX_GROWTH_MB = 12;
const STAY_MS = 800;
const SAMPLE_MS = 2000;

const PEOPLE: readonly Role[] = ROLES.filter((role) => role !== 'evaluator');

interface Sample {
  at: number;
  mb: number;
}

/** Opens every page that the role may see until the time is over; returns the number of pages. */
const browse = async (
  browser: Browser,
  { baseUrl }: PrivateConsole,
  user: { email: string; password: string; role: Role },
  isOver: () => boolean,
): Promise<number> => {
  const context = await browser.newContext({ baseURL: baseUrl, viewport: { width: 1440, height: 900 } });
  await signIn(context.request, baseUrl, user);
  const page = await context.newPage();
  const connection = (await (await context.request.get(`${baseUrl}/api/v1/connections`)).json()).items[0];
  const addresses = pagesFor(user.role, connection).map((target) => hrefOf(target, connection.id));
  let opened = 0;
  while (!isOver())
    for (const address of addresses) {
      if (isOver()) break;
      await page.goto(address, { waitUntil: 'load' });
      await page.waitForTimeout(STAY_MS);
      opened += 1;
    }
  await context.close();
  return opened;
};

const watchMemory = async (own: PrivateConsole, isOver: () => boolean): Promise<Sample[]> => {
  const samples: Sample[] = [];
  for (; !isOver(); await delay(SAMPLE_MS))
    samples.push({ at: Date.now(), mb: await memoryOf(own, 'VmRSS') });
  return samples;
};

const mean = (samples: readonly Sample[]): number =>
  samples.reduce((sum, { mb }) => sum + mb, 0) / samples.length;

export const run = (report: Report): Promise<void> =>
  withConsole([{ environment: 'development' }], async (own) => {
    await seedAll(own);
    await seedAuthors(own.app.client, 200_000);
    await seedSessions(own.app.client, 2000, 10);
    const users = PEOPLE.map((role) => ({
      role,
      name: role,
      email: `${role}@drill.example`,
      password: randomBytes(12).toString('base64url'),
    }));
    for (const user of users) await post(own, '/api/v1/users', user);
    const browser = await chromium.launch({ executablePath: await ensureChromium() });
    const end = Date.now() + SECONDS * 1000;
    const isOver = () => Date.now() >= end;
    const counting = (async () => {
      while (!isOver()) await untilOver(own, (await begin(own, `${MAIN}/analysis`, {})).jobId, 600_000);
    })();
    try {
      const [samples, ...opened] = await Promise.all([
        watchMemory(own, isOver),
        ...users.map((user) => browse(browser, own, user, isOver)),
      ]);
      for (let at = 0; at < samples.length; at += Math.ceil(samples.length / 15))
        report.say(
          `${Math.round((samples[at]!.at - samples[0]!.at) / 1000)} s: ${samples[at]!.mb.toFixed(0)} MB`,
        );
      const last = samples.filter(({ at }) => at > end - LAST_MS);
      const half = Math.floor(last.length / 2);
      const growth = mean(last.slice(half)) - mean(last.slice(0, half));
      const mb = mean(last.slice(half));
      const pages = opened.reduce((sum, count) => sum + count, 0);
      report.check(
        `after ${pages} pages in ${SECONDS} s the console takes at most ${MAX_MB} MB`,
        mb <= MAX_MB,
        `${mb.toFixed(0)} MB`,
      );
      report.check(
        'its memory is flat at the end',
        growth <= MAX_GROWTH_MB,
        `${growth.toFixed(0)} MB more in the second half of the last ${LAST_MS / 1000} s than in the first`,
      );
    } finally {
      await browser.close();
      await counting.catch(() => undefined);
    }
  });
