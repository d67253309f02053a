// Ten thousand messages per second on a watched channel: the page stays responsive, and the console's memory constant.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import { ensureChromium } from '../chromium.mjs';
import type { PrivateConsole } from '../testing/private-console';
import { signIn } from '../testing/sign-in';
import { memoryOf } from './memory-of';
import { type Report, withConsole } from './report';

const CHANNEL = 'notifications:global';
const PER_SECOND = 10_000;
const SECONDS = 20;
/** By then the heap has reached its working size. */
const WARM_UP_MS = 8000;
const MAX_GROWTH_MB = 32;
const MAX_FRAME_MS = 100;

const ADMIN = { email: 'admin@drill.example', password: randomBytes(12).toString('base64url') };
const ENVIRONMENT = { KEYWARD_ADMIN_EMAIL: ADMIN.email, KEYWARD_ADMIN_PASSWORD: ADMIN.password };

const openPage = async (browser: Browser, { baseUrl }: PrivateConsole): Promise<Page> => {
  const context = await browser.newContext({ baseURL: baseUrl, viewport: { width: 1440, height: 900 } });
  await signIn(context.request, baseUrl, ADMIN);
  return context.newPage();
};

/** The time of each frame above 50 ms, as the browser reports it. */
const watchFrames = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const frames: number[] = [];
    Object.assign(window, { frames });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) frames.push(duration);
    }).observe({ type: 'long-animation-frame' });
  });

const framesOf = (page: Page): Promise<number[]> =>
  page.evaluate(() => (window as unknown as { frames: number[] }).frames);

/** Publishes; returns the memory after the warm-up and the later peak, MB. */
const publishLoad = async (own: PrivateConsole): Promise<{ base: number; most: number }> => {
  const args = [
    'scripts/testing/publish-load.mjs',
    own.app.url,
    CHANNEL,
    String(PER_SECOND),
    String(SECONDS),
  ];
  let over = false;
  const load = promisify(execFile)(process.execPath, args).finally(() => {
    over = true;
  });
  await delay(WARM_UP_MS);
  const base = await memoryOf(own, 'VmRSS');
  let most = base;
  for (; !over; await delay(500)) most = Math.max(most, await memoryOf(own, 'VmRSS'));
  await load;
  return { base, most };
};

/** The number of messages skipped for the page, from the line under the filters. */
const skippedOn = async (page: Page): Promise<number> => {
  const line =
    (await page
      .getByText(/skipped$/)
      .first()
      .textContent()) ?? '';
  return Number(/([\d,]+) skipped/.exec(line)?.[1]?.replaceAll(',', '') ?? 0);
};

export const run = (report: Report): Promise<void> =>
  withConsole(
    [],
    async (own) => {
      const browser = await chromium.launch({ executablePath: await ensureChromium() });
      try {
        const page = await openPage(browser, own);
        await page.goto(`/main/channels?watch=c.${Buffer.from(CHANNEL).toString('base64url')}`);
        await page.getByText('No messages yet').waitFor();
        await watchFrames(page);
        const { base, most } = await publishLoad(own);
        const frames = await framesOf(page);
        const longest = Math.max(0, ...frames);
        report.check(
          `no frame takes more than ${MAX_FRAME_MS} ms`,
          longest <= MAX_FRAME_MS,
          `longest ${Math.round(longest)} ms, ${frames.length} above 50 ms in ${SECONDS} s`,
        );
        report.check(
          `the console's memory grows by ${MAX_GROWTH_MB} MB at most after ${WARM_UP_MS / 1000} s`,
          most - base <= MAX_GROWTH_MB,
          `${base.toFixed(0)} MB, then ${most.toFixed(0)} MB at most`,
        );
        const skipped = await skippedOn(page);
        report.check('the page says what it skipped', skipped > 0, `${skipped} of ${PER_SECOND * SECONDS}`);
      } finally {
        await browser.close();
      }
    },
    ENVIRONMENT,
  );
