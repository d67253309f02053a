// `npm run user -- add EMAIL --role ROLE`, `npm run user -- reset EMAIL`: users, for whoever cannot sign in to the
// console.
import { secret } from './accounts.mjs';
import { bundle } from './build.mjs';
import { endOnSignals } from './child.mjs';
import { withStore } from './own-store.mjs';
import { argumentsOf, calledAs, checkNode, fail, SetupError, say, UsageError } from './setup.mjs';

const ROLES = ['viewer', 'support', 'product', 'admin'];

const USAGE = `${calledAs('user', 'add EMAIL --role ROLE [--name NAME]')}
${calledAs('user', 'reset EMAIL [--role ROLE]')}

add     creates a user
reset   gives a user a new password and enables the account; all sessions and API tokens of the user end
--role  ${ROLES.join(', ')}

Each prints a password that is shown only then, and is in the audit log. A running console needs no restart.`;

const read = () => {
  const { values, positionals } = argumentsOf(
    USAGE,
    { role: { type: 'string' }, name: { type: 'string' } },
    { allowPositionals: true },
  );
  const [command, email, ...more] = positionals;
  if (!['add', 'reset'].includes(command) || !email || more.length > 0) throw new UsageError(USAGE);
  if (command === 'add' && !values.role) throw new UsageError(`add: expected --role.\n\n${USAGE}`);
  if (values.role && !ROLES.includes(values.role))
    throw new UsageError(
      `--role: found ${JSON.stringify(values.role)}, expected any of ${ROLES.join(', ')}.`,
    );
  return { command, email, ...values };
};

const change = async ({ command, email, role, name }) => {
  const { addUser, closeStore, resetUser } = await import((await bundle('scripts/console-users.ts')).url);
  const password = secret(12);
  try {
    if (command === 'add') {
      const user = await addUser({ email, name: name ?? email.split('@')[0], role, password });
      say(`Created ${user.email} (${user.role}).`);
    } else {
      const { user, tokensEnded } = await resetUser(email, password, role);
      say(
        `${user.email} (${user.role}) has a new password; all sessions and ${tokensEnded} API tokens ended.`,
      );
    }
    say(`Password: ${password}`);
  } catch (error) {
    const fields = error.extensions?.errors?.map(({ path, message }) => `${path}: ${message}`) ?? [];
    throw error.code ? new SetupError([error.message, ...fields].join('\n')) : error;
  } finally {
    closeStore();
  }
};

const main = async () => {
  endOnSignals();
  checkNode();
  const given = read();
  await withStore(() => change(given), { writes: true });
};

main().then(() => process.exit(0), fail);
