#!/usr/bin/env node
// The command of the installed package. In a checkout `npm run …` runs the same files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, say } from './setup.mjs';

/** The file of each command, what it does, and its first argument where a file has several commands. */
const COMMANDS = {
  start: ['start.mjs', 'start the console; what `keyward` without a command does'],
  demo: ['demo.mjs', 'start it with demo data on private Redis servers'],
  doctor: ['doctor.mjs', 'what may be wrong around the console, each with its way out'],
  backup: ['backup.mjs', 'write the store into a sealed file', 'backup'],
  restore: ['backup.mjs', 'read such a file into an empty store', 'restore'],
  user: ['user.mjs', 'add a user, or give one a new password'],
  conventions: ['conventions.mjs', 'check a Redis against usage conventions'],
  catalog: ['catalog.mjs', 'check catalog files, or propose one'],
  'audit verify': ['audit-verify.mjs', 'verify the audit log'],
  'accounts seal': ['seal-accounts.mjs', 'list users and API tokens that are refused, and seal them again'],
};

const USAGE = `keyward [--redis redis://…] [options]
keyward <command> [options]

${Object.entries(COMMANDS)
  .map(([name, [, what]]) => `  ${name.padEnd(14)} ${what}`)
  .join('\n')}

  --help, --version

\`keyward <command> --help\` lists the options of a command. Exits with 0 when done, with 1 when something failed or was
found wrong, and with 2 for wrong arguments. \`start\` exits with 0 after SIGTERM, and with 143 if the console did not end
within nine seconds or a second signal came; Ctrl-C is 130.`;

/** The command that the arguments begin with, and how many of them it takes; null when there is none of that name. */
const commandIn = (args) => {
  if (args[0] === undefined || args[0].startsWith('-')) return { command: COMMANDS.start, words: 0 };
  for (const words of [2, 1]) {
    const command = COMMANDS[args.slice(0, words).join(' ')];
    if (command) return { command, words };
  }
  return null;
};

const main = async (args) => {
  if (args[0] === '--help' || args[0] === 'help') return say(USAGE);
  if (args[0] === '--version')
    return say(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version);
  const match = commandIn(args);
  if (!match) {
    process.stderr.write(`There is no command ${JSON.stringify(args[0])}.\n\n${USAGE}\n`);
    process.exit(2);
  }
  const [file, , ...first] = match.command;
  process.argv.splice(2, match.words, ...first);
  await import(`./${file}`);
};

await main(process.argv.slice(2));
