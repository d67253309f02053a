import 'server-only';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processWide } from './process-wide';

/** This console's version, of package.json. Every process runs in the folder that has it. */
export const consoleVersion = processWide('version', () => {
  const { version } = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8'));
  return String(version);
});
