// `npm run audit:verify -- --head <number>:<digest>`: verifies the audit log against a head that was stored elsewhere.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, STATE } from './build.mjs';
import { endOnSignals } from './child.mjs';
import { withStore } from './own-store.mjs';
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

/** With a newly generated key every record would count as broken. */
const requireSecretKey = () => {
  const { KEYWARD_SECRET_KEY, KEYWARD_SECRET_KEY_FILE } = process.env;
  if (KEYWARD_SECRET_KEY || KEYWARD_SECRET_KEY_FILE || existsSync(join(STATE, 'secret-key'))) return;
  throw new SetupError(
    "KEYWARD_SECRET_KEY: found nothing, expected the console's own, or its file secret-key.",
  );
};

const main = async () => {
  endOnSignals();
  const head = readHead();
  await loadEnvFiles();
  requireSecretKey();
  await withStore(async () => {
    const { checkHead } = await import((await bundle('scripts/check-head.ts')).url);
    const { ok, text } = await checkHead(head).catch((error) => {
      throw new SetupError(error.message);
    });
    say(text);
    process.exitCode = ok ? 0 : 1;
  });
};

main().then(() => process.exit(), fail);
