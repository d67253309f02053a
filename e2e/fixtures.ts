import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BrowserContext, test as base, type Page, type TestInfo } from '@playwright/test';
import { Redis } from 'ioredis';
import { signIn } from '../scripts/testing/sign-in';
import { expectNoErrors, leave, withErrors } from './leave';
import { withSteps } from './steps-taken';

export { expect } from '@playwright/test';

export type RoleName = 'admin' | 'support' | 'product' | 'viewer';

interface Account {
  role: RoleName;
  name: string;
  email: string;
  password: string;
}

/** What e2e/global-setup.mjs started, and its connections. */
export interface State {
  baseUrl: string;
  accounts: Account[];
  apiToken: string;
  redisUrl: string;
  liveRedisUrl: string;
  asideRedisUrl: string;
  shopRedisUrl: string;
  socialRedisUrl: string;
  carefulRedisUrl: string;
  /** `host:port` of the three primaries of connection `cluster`. */
  clusterNodes: string[];
  storeUrl: string;
  /** Where the console sends mail; nothing listens there unless a test does. */
  smtpPort: number;
  /** Every token and secret the demo generated, one per line. */
  tokensFile: string;
  consoleLog: string;
  /** The folder in `HAWK_LIMITS_DIR`. */
  limitsFolder: string;
  /** The own catalog of connection `aside`. */
  catalogFile: string;
  /** A folder for `reserve`. */
  reservations: string;
}

interface TestFixtures {
  /** Signs `page` in; the session of a role is created once per worker. */
  signInAs: (role: RoleName) => Promise<Page>;
  /** A page in another user's browser. */
  anotherAs: (role: RoleName) => Promise<Page>;
  /** An empty Redis that no other test uses meanwhile: connection `aside`. */
  aside: Redis;
  /** Waits until no other test uses a shared resource, and reserves it until the end of this test. */
  reserve: (name: string) => Promise<void>;
}

type Cookies = Parameters<ReturnType<Page['context']>['addCookies']>[0];

interface WorkerFixtures {
  state: State;
  /** The Redis of connection `demo`, as its applications use it. */
  appRedis: Redis;
  /** The Redis of connection `social`. */
  socialRedis: Redis;
  /** A session of its own, for a test that ends it. */
  newSessionOf: (role: RoleName) => Promise<Cookies>;
  /** The worker's session of a role: a test must not end it. */
  sessionOf: (role: RoleName) => Promise<Cookies>;
  /** One context per worker: in a new one every test would load and compile 3 MB of script again. */
  sharedContext: BrowserContext;
}

const MAX_RESERVATION_MS = 600_000;

/** False when it already exists. */
const makeFolder = (folder: string): boolean => {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
};

/** Only the second tier leaves its pages as users do: the first has no time for one more page per story. */
const end = async (page: Page, { project }: TestInfo): Promise<void> => {
  if (project.name === 'long') await leave(page);
  else expectNoErrors(page);
};

export const test = base.extend<TestFixtures, WorkerFixtures>({
  state: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use, { config }) => {
      const file = join(config.rootDir, '../.keyward/e2e/state.json');
      await use(JSON.parse(readFileSync(file, 'utf8')) as State);
    },
    { scope: 'worker' },
  ],

  baseURL: async ({ state }, use) => use(state.baseUrl),

  appRedis: [
    async ({ state }, use) => {
      const redis = new Redis(state.redisUrl);
      await use(redis);
      redis.disconnect();
    },
    { scope: 'worker' },
  ],

  socialRedis: [
    async ({ state }, use) => {
      const redis = new Redis(state.socialRedisUrl);
      await use(redis);
      redis.disconnect();
    },
    { scope: 'worker' },
  ],

  newSessionOf: [
    async ({ state, playwright }, use) => {
      await use(async (role) => {
        const account = state.accounts.find((candidate) => candidate.role === role)!;
        const api = await playwright.request.newContext({ baseURL: state.baseUrl });
        await signIn(api, state.baseUrl, account);
        const { cookies } = await api.storageState();
        await api.dispose();
        return cookies;
      });
    },
    { scope: 'worker' },
  ],

  sessionOf: [
    async ({ newSessionOf }, use) => {
      const sessions = new Map<RoleName, Cookies>();
      await use(async (role) => {
        const cookies = sessions.get(role) ?? (await newSessionOf(role));
        sessions.set(role, cookies);
        return cookies;
      });
    },
    { scope: 'worker' },
  ],

  sharedContext: [
    async ({ browser, state }, use, { project }) => {
      const { viewport, locale, timezoneId, contextOptions } = project.use;
      const baseURL = state.baseUrl;
      const context = await browser.newContext({ ...contextOptions, viewport, locale, timezoneId, baseURL });
      await use(context);
      await context.close();
    },
    { scope: 'worker' },
  ],

  /** Every test begins signed out, without pages and storage. */
  context: async ({ sharedContext, state }, use) => {
    await use(sharedContext);
    const [first, ...others] = sharedContext.pages();
    for (const page of others) await page.close();
    const last = first ?? (await sharedContext.newPage());
    await last.goto('about:blank');
    const storage = { origin: state.baseUrl, storageTypes: 'local_storage,indexeddb' };
    await (await sharedContext.newCDPSession(last)).send('Storage.clearDataForOrigin', storage);
    await sharedContext.clearCookies();
    await last.close();
  },

  page: async ({ page }, use, info) => {
    await use(withErrors(withSteps(page)));
    if (info.status === info.expectedStatus) await end(page, info);
  },

  signInAs: async ({ page, sessionOf }, use) => {
    await use(async (role) => {
      // Leaves the previous user's page first: a 401 to one of its pending requests would redirect to the sign-in page
      // while the next test navigates.
      await leave(page);
      await page.goto('about:blank');
      await page.context().clearCookies();
      await page.context().addCookies(await sessionOf(role));
      return page;
    });
  },

  anotherAs: async ({ browser, state, sessionOf }, use, info) => {
    const contexts: BrowserContext[] = [];
    await use(async (role) => {
      const context = await browser.newContext({ baseURL: state.baseUrl });
      contexts.push(context);
      await context.addCookies(await sessionOf(role));
      return withErrors(withSteps(await context.newPage()));
    });
    if (info.status === info.expectedStatus)
      for (const page of contexts.flatMap((context) => context.pages())) await end(page, info);
    for (const context of contexts) await context.close();
  },

  aside: [
    async ({ state, reserve }, use) => {
      await reserve('aside');
      const redis = new Redis(state.asideRedisUrl);
      await redis.flushdb();
      await use(redis);
      redis.disconnect();
    },
    { timeout: MAX_RESERVATION_MS },
  ],

  reserve: async ({ state }, use, testInfo) => {
    const held: string[] = [];
    mkdirSync(state.reservations, { recursive: true });
    await use(async (name) => {
      const folder = join(state.reservations, name);
      const [start, own] = [Date.now(), testInfo.timeout];
      // Waiting for another test does not use up this test's time. Zero: a debugger has no timeout.
      if (own > 0) testInfo.setTimeout(own + MAX_RESERVATION_MS);
      while (!makeFolder(folder)) await delay(50);
      if (own > 0) testInfo.setTimeout(own + Date.now() - start);
      held.push(folder);
    });
    for (const folder of held) rmdirSync(folder);
  },
});
