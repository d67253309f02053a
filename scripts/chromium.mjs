// The Chromium of end-to-end tests: the system's, else one from the package manager, else Playwright's.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from './redis-server.mjs';
import { installPackage, ROOT, run, SetupError, say } from './setup.mjs';

const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const PACKAGES = { 'apt-get': ['chromium-headless-shell', 'chromium'], dnf: ['chromium'], apk: ['chromium'] };

/** The path of the system's Chromium or Chrome, or null. */
const systemChromium = () => NAMES.map(onPath).find(Boolean) ?? (existsSync(MAC) ? MAC : null);

const playwrightsChromium = async () => {
  const { chromium } = await import('@playwright/test');
  return existsSync(chromium.executablePath()) ? chromium.executablePath() : null;
};

/** Throws `SetupError` when there is no Chromium and none can be installed. */
export const ensureChromium = async () => {
  const present = systemChromium() ?? (await playwrightsChromium());
  if (present) return present;
  say('No Chromium found.');
  const installed = await installPackage(PACKAGES, systemChromium);
  if (installed) return installed;
  say("Downloading Playwright's Chromium…");
  const cli = join(ROOT, 'node_modules/@playwright/test/cli.js');
  await run(process.execPath, [cli, 'install', '--with-deps', 'chromium']);
  const downloaded = await playwrightsChromium();
  if (downloaded) return downloaded;
  throw new SetupError(
    'The end-to-end tests need Chromium: install it (apt-get install chromium) and run again.',
  );
};
