import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { defineConfig } from '@playwright/test';

// The system's, as scripts/chromium.mjs finds it (Playwright cannot load that module from its configuration);
// without one Playwright uses its own.
const executablePath = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
  .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((path) => existsSync(path));

// Read by scripts/build.mjs and next.config.js: a build of its own, so that a demo may run from the same checkout.
process.env.KEYWARD_DIST_DIR = '.next-test';

/** Files whose tests follow one another on a console of their own: they begin first, so that no worker ends alone. */
const OWN_CONSOLE = /(invalidation|session-jobs|trouble)\.spec/;

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  globalSetup: './e2e/global-setup.mjs',
  workers: 2,
  retries: 0,
  fullyParallel: false,
  forbidOnly: true,
  timeout: 45_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  projects: [
    { name: 'own console', testMatch: OWN_CONSOLE },
    { name: 'shared console', testIgnore: OWN_CONSOLE },
  ],
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    // Software draws every frame here, and a pulsing dot is sixty a second.
    contextOptions: { reducedMotion: 'reduce' },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Frames and snapshots of every step cost as much as the steps; a failure keeps its picture and the page's outline.
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
      ],
    },
  },
});
