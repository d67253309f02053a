import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { defineConfig } from '@playwright/test';

// The system's Chromium, as scripts/chromium.mjs finds it (Playwright cannot load that module from its configuration);
// otherwise Playwright uses its own.
const executablePath = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
  .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((path) => existsSync(path));

// Read by scripts/build.mjs and next.config.js: a separate build, so that a demo may run from the same checkout.
process.env.KEYWARD_DIST_DIR = '.next-test';

/** Tests on a console of their own start first, so that no worker is left with them at the end. */
const OWN_CONSOLE = /trouble\.spec/;
/** The second tier, `npm run test:all`: files that take minutes, and stories that are not the first of a role and page. */
const LONG = /\.long\.spec|@long/;

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  globalSetup: './e2e/global-setup.mjs',
  workers: 2,
  retries: 0,
  fullyParallel: false,
  forbidOnly: true,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  projects: [
    { name: 'own console', testMatch: OWN_CONSOLE },
    { name: 'shared console', testIgnore: OWN_CONSOLE, grepInvert: LONG },
    { name: 'long', grep: LONG },
  ],
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    // Frames are rendered in software here, and a pulsing dot costs sixty per second.
    contextOptions: { reducedMotion: 'reduce' },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Tracing every step costs as much as the steps; a failure still has its screenshot and the page's outline.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath && { executablePath }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        // A page of a test lives for seconds: optimized code costs a fifth of a browser's time and is hardly run.
        '--js-flags=--no-maglev --no-turbofan',
      ],
    },
  },
});
