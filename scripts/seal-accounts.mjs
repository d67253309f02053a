// `npm run accounts:seal [-- --yes <listing>]`: gives MACs to users and API tokens that the console refuses, after
// KEYWARD_SECRET_KEY was lost or the store was restored. Without --yes it lists them and prints the digest of the
// listing, so that nothing added later is sealed unseen.
import { bundle } from './build.mjs';
import { endOnSignals } from './child.mjs';
import { withStore } from './own-store.mjs';
import { argumentsOf, calledAs, checkNode, fail, SetupError, say } from './setup.mjs';

const USAGE = `${calledAs('accounts seal', '[--yes <listing>]')}

Lists users and API tokens that the console refuses because KEYWARD_SECRET_KEY was lost or the store was restored.
--yes  seals them as they were listed; the list prints the whole command`;

/** Escapes terminal controls: anyone with access to the store could have written this text. */
const shown = (text) =>
  JSON.stringify(text ?? '').replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const lineOf = ({ kind, id, fields }) => {
  const { email, name, role, disabled, owner, createdBy } = fields;
  return kind === 'user'
    ? `  user       ${id}  ${shown(email)}  ${shown(role)}  ${disabled === '0' ? 'enabled' : 'disabled'}`
    : `  API token  ${id}  ${shown(name)}  ${shown(role)}  by ${shown(createdBy)}, owner ${shown(owner)}`;
};

/** `seen`: the digest of the listing that was agreed to; undefined to list only. */
const seal = async (seen) => {
  const { store } = await import((await bundle('lib/redis/store.ts')).url);
  const { digestOfRecords, refusedRecords, sealRecords } = await import(
    (await bundle('lib/access/seal-records.ts')).url
  );
  try {
    const records = await refusedRecords(store());
    if (records.length === 0) return say('No user or API token is refused: there is nothing to seal.');
    say('Refused, because they have no valid MAC under the current KEYWARD_SECRET_KEY:');
    for (const record of records) say(lineOf(record));
    const listing = digestOfRecords(records);
    if (seen !== listing) {
      say(
        `Nothing was changed. If you recognise every one of them, run: ${calledAs('accounts seal', '--yes', listing)}`,
      );
      say('Anyone who could write into the store could have added any of them.');
      if (seen !== undefined)
        throw new SetupError(
          'The list changed since --yes was printed. Check the list above and use its command.',
        );
      return;
    }
    const { recorded } = await sealRecords(store(), records, {
      again: true,
      detail: 'npm run accounts:seal',
    });
    say(`Sealed ${records.length} records as they are now.`);
    if (!recorded)
      throw new SetupError(`No audit entry could be written: run \`${calledAs('audit verify')}\`.`);
  } finally {
    store().close();
  }
};

const main = async () => {
  endOnSignals();
  checkNode();
  const { yes } = argumentsOf(USAGE, { yes: { type: 'string' } }).values;
  await withStore(() => seal(yes), { writes: true });
};

main().then(() => process.exit(0), fail);
