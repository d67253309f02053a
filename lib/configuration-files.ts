import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfigurationProblem } from './configuration-values';

/** Variables that hold secrets: each may name a file instead, as containers mount them, by `_FILE` at its end. */
export const SECRET_VARIABLES = [
  'REDIS_URL',
  'REDIS_PASSWORD',
  'KEYWARD_STORE_URL',
  'KEYWARD_STORE_SENTINEL_PASSWORD',
  'KEYWARD_SECRET_KEY',
  'NEXTAUTH_SECRET',
  'KEYWARD_ADMIN_PASSWORD',
  'KEYWARD_API_TOKEN',
  'KEYWARD_OIDC_CLIENT_SECRET',
  'KEYWARD_AUDIT_WEBHOOK',
  'KEYWARD_SMTP_URL',
  'HAWK_MONGODB_URI',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

/** Larger files hold something else. */
const MAX_BYTES = 64 * 1024;

type Source = Record<string, string | undefined>;

/** The text of a file without the line break at its end; otherwise what was found in its place. */
const readSecret = (path: string): { text: string } | { found: string } => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return { found: 'no such file' };
  if (!stat.isFile()) return { found: 'something that is no file' };
  if (stat.size > MAX_BYTES) return { found: `${stat.size} bytes` };
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { found: 'an empty file' } : { text };
  } catch {
    return { found: 'a file that cannot be read' };
  }
};

/** The variables with the secrets of their files. A secret that is given in both ways is a problem. */
export const withSecretFiles = (
  source: Source,
  cwd: string,
): { source: Source; problems: ConfigurationProblem[] } => {
  const secrets: Source = {};
  const problems: ConfigurationProblem[] = [];
  for (const name of SECRET_VARIABLES) {
    const variable = `${name}_FILE`;
    const path = source[variable];
    if (!path) continue;
    const wrong = (found: string, expected: string) => problems.push({ variable, found, expected });
    if (source[name]) {
      wrong(`${name} too`, 'one of the two');
      continue;
    }
    const read = readSecret(resolve(cwd, path));
    if ('text' in read) secrets[name] = read.text;
    else wrong(read.found, `a readable file with the value of ${name}, of 64 KiB at most`);
  }
  return { source: { ...source, ...secrets }, problems };
};
