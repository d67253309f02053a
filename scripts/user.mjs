// `npm run user -- add EMAIL --role ROLE`, `npm run user -- reset EMAIL`: users, for whoever cannot sign in to the
// console.
import { secret } from './accounts.mjs';
import { bundle } from './build.mjs';
import { endOnSignals } from './child.mjs';
import { withStore } from './own-store.mjs';
import { argumentsOf, calledAs, checkNode, fail, SetupError, say, UsageError } from './setup.mjs';

const ROLES = ['viewer', 'support', 'product', 'admin'];

const USAGE = `${calledAs('user', 'add EMAIL --role ROLE [--name NAME] [--password]')}
${calledAs('user', 'reset EMAIL [--role ROLE] [--password]')}

add         creates a user
reset       enables the account of a user who cannot sign in; all sessions end, and with the new password all API tokens
--role      ${ROLES.join(', ')}
--password  prints a generated password instead of a link

Each prints a link with which the user sets a password. It works once, is shown only then, and needs a running console,
which needs no restart. Both are in the audit log.`;

const read = () => {
  const { values, positionals } = argumentsOf(
    USAGE,
    { role: { type: 'string' }, name: { type: 'string' }, password: { type: 'boolean' } },
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

/** Prints a user's link. Without NEXTAUTH_URL it is a path. */
const sayLink = ({ link, linkUntil }) =>
  say(`${link.startsWith('/') ? 'At the address of the console, until' : 'Until'} ${linkUntil}: ${link}`);

const withPassword = async (users, { command, email, role, name }) => {
  const password = secret(12);
  if (command === 'add') {
    const user = await users.addUser({ email, name, role, password });
    say(`Created ${user.email} (${user.role}).`);
  } else {
    const { user, tokensEnded } = await users.resetUser(email, password, role);
    say(`${user.email} (${user.role}) has a new password; all sessions and ${tokensEnded} API tokens ended.`);
  }
  say(`Password: ${password}`);
};

const withLink = async (users, { command, email, role, name }) => {
  if (command === 'add') {
    const made = await users.inviteByLink({ email, name, role });
    say(`Created ${made.user.email} (${made.user.role}).`);
    return sayLink(made);
  }
  const made = await users.resetByLink(email, role);
  say(`${made.user.email} (${made.user.role}) can set a new password; all sessions ended.`);
  sayLink(made);
};

const change = async (given) => {
  const users = await import((await bundle('scripts/console-users.ts')).url);
  const named = { ...given, name: given.name ?? given.email.split('@')[0] };
  try {
    await (given.password ? withPassword : withLink)(users, named);
  } catch (error) {
    const fields = error.extensions?.errors?.map(({ path, message }) => `${path}: ${message}`) ?? [];
    throw error.code ? new SetupError([error.message, ...fields].join('\n')) : error;
  } finally {
    users.closeStore();
  }
};

const main = async () => {
  endOnSignals();
  checkNode();
  const given = read();
  await withStore(() => change(given), { writes: true });
};

main().then(() => process.exit(0), fail);
