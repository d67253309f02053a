// `npm run audit:verify -- --head <number>:<digest>`: verifies the audit log against a head that was stored elsewhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, STATE } from './build.mjs';
import { runningServer } from './redis-server.mjs';
import { argumentsOf, calledAs, fail, loadEnvFiles, SetupError, say, UsageError } from './setup.mjs';

const HEAD = /^(\d{1,15}):([\w-]{43})$/;

const USAGE = `${calledAs('audit verify', '[--head <number>:<digest>]')}

--head  also verifies that this head, which the console logged earlier, is on the chain

Exits with 0 when the log is intact, with 1 when it is not or could not be verified.`;

/** `--head` as { seq, digest }; null without it. */
const readHead = () => {
  const given = argumentsOf(USAGE, { head: { type: 'string' } }).values.head;
  if (given === undefined) return null;
  const [, seq, digest] = HEAD.exec(given) ?? [];
  if (!digest) throw new UsageError('--head: expected <number>:<digest>, as the console logs it each hour.');
  return { seq: Number(seq), digest };
};

const keptSecretKey = () => {
  try {
    return readFileSync(join(STATE, 'secret-key'), 'utf8').trim();
  } catch {
    throw new SetupError(
      "KEYWARD_SECRET_KEY: found nothing, expected the console's own, or its file secret-key.",
    );
  }
};

const main = async () => {
  const head = readHead();
  await loadEnvFiles();
  process.env.KEYWARD_SECRET_KEY ||= keptSecretKey();
  // The configuration requires an application's Redis, which is not used here.
  if (!process.env.KEYWARD_CONFIG) process.env.REDIS_URL ||= 'redis://127.0.0.1';
  const { url } = await bundle('scripts/check-head.ts');
  process.env.KEYWARD_STORE_URL ||= runningServer(join(STATE, 'store')) ?? '';
  if (!process.env.KEYWARD_STORE_URL)
    throw new SetupError(
      'The private store runs only while the console does: start the console, or set KEYWARD_STORE_URL.',
    );
  const { checkHead } = await import(url);
  const { ok, text } = await checkHead(head).catch((error) => {
    throw new SetupError(error.message);
  });
  say(text);
  process.exitCode = ok ? 0 : 1;
};

main().catch(fail);
