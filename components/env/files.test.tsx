import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Env from '@/app/(console)/[connection]/env/page';
import { envContracts } from '@/lib/env/schema';
import { badInput } from '@/lib/errors';
import { downloads } from '@/scripts/testing/downloads';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { diffLine, listOf, planOf, variable } from '@/scripts/testing/variables';

const api = fakeApi();
const files = downloads();

const open = async (address: string, button: string, title: string) => {
  api.answer(envContracts.list, listOf([variable({ name: 'TOKEN', secretBy: 'name' })]));
  api.answer(envContracts.backups, { items: [], nextCursor: null });
  const view = renderAt(address, <Env />);
  await view.user.click((await screen.findAllByText(button)).at(-1)!);
  const dialog = await screen.findByRole('dialog', { name: title });
  const drawer = within(dialog);
  const fileInput = () => dialog.querySelector<HTMLInputElement>('input[type=file]')!;
  return { ...view, dialog, drawer, fileInput };
};

const LOOK = 'Preview changes';
const IMPORTED = [
  diffLine({ name: 'HOST', change: 'update', before: 'old.example.org', after: 'new.example.org' }),
  diffLine({ name: 'TOKEN', change: 'create', secret: true }),
  diffLine({
    name: 'PORT',
    change: 'create',
    after: 'several',
    problems: [{ line: 3, message: 'Not an integer.' }],
  }),
];

it('imports nothing while a line is refused', async () => {
  const { dialog, drawer, user, fill } = await open('/demo/env', 'Import', 'Import variables');
  const refused = (line: number, name: string, message: string) =>
    diffLine({ name, change: 'refused', problems: [{ line, message }] });
  api.answer(
    envContracts.import,
    planOf([
      refused(2, '', 'Not a NAME=value line.'),
      refused(3, 'PORT', 'Duplicate of the name on line 1.'),
    ]),
  );
  const text = 'PORT=1\nnot a line\nPORT=2\n';
  await fill(drawer.getByLabelText(/^Dotenv text/), text);
  await user.click(drawer.getByRole('button', { name: LOOK }));
  await drawer.findByText('2 refused');
  expect(dialog.textContent).toContain('line 2');
  expect(dialog.textContent).toContain('Duplicate of the name on line 1.');
  expect(drawer.getByRole('button', { name: /^Import( \d+ changes?)?$/ })).toHaveProperty('disabled', true);
  expect(api.asked(envContracts.import)).toEqual([{ text, dryRun: true, anyway: false }]);
});

it('imports a previewed file, questionable values only after confirmation, and shows no secret of it', {
  tags: ['long'],
}, async () => {
  const { dialog, drawer, user, fileInput } = await open('/demo/env', 'Import', 'Import variables');
  api.answer(envContracts.import, ({ dryRun }) => planOf(IMPORTED, dryRun));
  const text = "HOST=new.example.org\nTOKEN='imported-secret-1'\nPORT=several\n";
  await user.upload(fileInput(), new File([text], 'prod.env', { type: 'text/plain' }));
  await drawer.findByText('prod.env');
  await user.click(drawer.getByRole('button', { name: LOOK }));
  await drawer.findByText('2 new');
  drawer.getByText('1 changed');
  expect(textOf(drawer.getByRole('row', { name: /HOST/ }))).toContain('new.example.org');
  expect(dialog.outerHTML).not.toContain('imported-secret-1');
  const apply = drawer.getByRole('button', { name: 'Import 3 changes' });
  expect(apply).toHaveProperty('disabled', true);
  await user.click(drawer.getByText('Import 1 questionable value anyway'));
  await user.click(apply);
  await screen.findByText('Imported: 2 new, 1 changed');
  expect(api.asked(envContracts.import).at(-1)).toEqual({
    text,
    dryRun: false,
    anyway: true,
    etag: 'etag-of-the-diff',
  });
});

it('exports without secrets and lists what it left out, or with secrets after a warning', async () => {
  const { dialog, drawer, user } = await open('/demo/env', 'Export', 'Export variables');
  api.answer(envContracts.export, ({ secrets }) => ({
    text: secrets ? 'HOST=x\nTOKEN=hidden\n' : 'HOST=x\n',
    variables: secrets ? 2 : 1,
    skipped: secrets ? [] : [{ name: 'TOKEN', why: 'Secret.' }],
    auditId: 'audit-1',
  }));
  await user.click(drawer.getByRole('button', { name: 'Download .env' }));
  await waitFor(() => expect(textOf(dialog)).toContain('TOKEN Secret.'));
  expect(files[0]?.name).toMatch(/^demo-variables-.*\.env$/);
  expect(await files[0]?.content.text()).toBe('HOST=x\n');
  await user.click(drawer.getByLabelText('With secrets'));
  expect(textOf(drawer.getByRole('alert'))).toContain('in plain text');
  await user.click(drawer.getByRole('button', { name: 'Download with secrets' }));
  await waitFor(() => expect(files).toHaveLength(2));
  expect(await files[1]?.content.text()).toContain('TOKEN=hidden');
  expect(api.asked(envContracts.export)).toEqual([{ secrets: false }, { secrets: true }]);
});

it('makes a backup once the passphrase is repeated, and never writes it into the markup', {
  tags: ['long'],
}, async () => {
  const { drawer, user, fill } = await open(
    '/demo/env?tab=backups',
    'Back up to a file',
    'Back up to a file',
  );
  api.answer(envContracts.backup, {
    fileName: 'demo.kwbackup',
    file: 'S1dC',
    variables: 4,
    skipped: [],
    auditId: 'audit-1',
  });
  const encrypt = drawer.getByRole('button', { name: 'Encrypt and download' });
  await fill(drawer.getByLabelText('Passphrase'), 'gravel onion lantern copper');
  await fill(drawer.getByLabelText('Repeat passphrase'), 'gravel onion');
  drawer.getByText('The passphrases do not match.');
  expect(encrypt).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText('Repeat passphrase'), 'gravel onion lantern copper');
  expect(document.documentElement.outerHTML).not.toContain('gravel onion');
  await user.click(encrypt);
  await drawer.findByText('demo.kwbackup: 4 variables');
  expect(files[0]?.name).toBe('demo.kwbackup');
  expect(await files[0]?.content.text()).toBe('KWB');
});

it('shows errors of a backup at their fields, and restores the preview', { tags: ['long'] }, async () => {
  const title = 'Restore from a file';
  const { dialog, drawer, user, fill, fileInput } = await open('/demo/env?tab=backups', title, title);
  const look = drawer.getByRole('button', { name: LOOK });
  expect(look).toHaveProperty('disabled', true);
  await user.upload(fileInput(), new File(['KWB'], 'x.kwbackup'));
  const passphrase = drawer.getByLabelText('Backup passphrase');
  const refusals = [
    ['passphrase', 'This is Wrong passphrase of the backup.'],
    ['file', 'This backup is cut short.'],
    ['file', 'This backup was altered or damaged.'],
  ] as const;
  for (const [path, message] of refusals) {
    api.answer(envContracts.restore, () => {
      throw badInput([{ path, message }]);
    });
    await fill(passphrase, 'gravel onion lantern silver');
    await user.click(look);
    const error = await drawer.findByText(message);
    expect(error.closest('.mantine-InputWrapper-root')?.textContent).toContain(
      path === 'file' ? 'Backup file' : 'Backup passphrase',
    );
  }
  const flag = diffLine({
    name: 'FEATURE_WIKI',
    change: 'refused',
    problems: [{ line: null, message: 'It is changed by two people.' }],
  });
  const others = [
    diffLine({ name: 'API_TOKEN', change: 'create', secret: true }),
    diffLine({ name: 'SITE_NAME', change: 'update', before: 'Somewhere else', after: 'Discours' }),
  ];
  api.answer(envContracts.restore, ({ leaveFlags, dryRun }) =>
    planOf(leaveFlags ? others : [flag, ...others], dryRun),
  );
  await fill(passphrase, 'gravel onion lantern copper');
  await user.click(look);
  await drawer.findByText('1 refused');
  drawer.getByText('1 new');
  drawer.getByText('1 changed');
  expect(drawer.getByRole('button', { name: /^Restore 2 variables/ })).toHaveProperty('disabled', true);
  await user.click(drawer.getByRole('switch', { name: /^Keep feature flags/ }));
  await waitFor(() => expect(dialog.textContent).not.toContain('1 refused'));
  await user.click(drawer.getByRole('button', { name: 'Restore 2 variables' }));
  await screen.findByText('2 variables restored');
  expect(api.asked(envContracts.restore).at(-1)).toEqual({
    file: 'S1dC',
    passphrase: 'gravel onion lantern copper',
    deleteOthers: false,
    leaveFlags: true,
    except: [],
    dryRun: false,
    etag: 'etag-of-the-diff',
  });
});

it('stores a backup now, also on a read-only connection', async () => {
  api.answer(envContracts.list, listOf([]));
  api.answer(envContracts.backups, { items: [], nextCursor: null });
  api.answer(envContracts.backUpNow, {
    backup: {
      id: 'stored-2',
      at: new Date().toISOString(),
      kind: 'manual',
      variables: 53,
      skipped: [],
      bytes: 900,
      expiresAt: null,
    },
    auditId: 'a',
  });
  const { user } = renderAt('/demo/env?tab=backups', <Env />, { connection: { readOnly: true } });
  await user.click(await screen.findByRole('button', { name: 'Back up now' }));
  await screen.findByText('Backup stored: 53 variables');
});

it('restores a stored backup, and deletes other variables only if chosen', { tags: ['long'] }, async () => {
  api.answer(envContracts.backups, {
    items: [
      {
        id: 'stored-1',
        at: new Date().toISOString(),
        kind: 'before-restore',
        variables: 4,
        skipped: [],
        bytes: 900,
        expiresAt: null,
      },
    ],
    nextCursor: null,
  });
  api.answer(envContracts.list, listOf([]));
  const update = diffLine({ name: 'SITE_NAME', change: 'update', before: 'a', after: 'b' });
  const gone = ['API_TOKEN', 'LATER'].map((name) => diffLine({ name, change: 'delete', before: 'x' }));
  api.answer(envContracts.restore, ({ deleteOthers, dryRun }) =>
    planOf(deleteOthers ? [update, ...gone] : [update], dryRun),
  );
  const { user } = renderAt('/demo/env?tab=backups', <Env />);
  await user.click(await screen.findByRole('button', { name: /^Restore the backup of/ }));
  expect(textOf(screen.getAllByRole('row', { hidden: true }).at(-1))).toContain('before a restore');
  const drawer = within(await screen.findByRole('dialog', { name: 'Restore a stored backup' }));
  await drawer.findByText('1 changed');
  await user.click(drawer.getByRole('switch', { name: /^Delete variables that are not/ }));
  await drawer.findByText('2 deleted');
  drawer.getByRole('button', { name: 'Restore 3 variables' });
  await user.click(drawer.getByRole('checkbox', { name: 'Restore LATER' }));
  await user.click(drawer.getByRole('button', { name: 'Restore 2 variables' }));
  await screen.findByText('1 variable restored, 2 deleted');
  expect(
    api
      .asked(envContracts.restore)
      .map(({ id, dryRun, deleteOthers, except }) => [id, dryRun, deleteOthers, except]),
  ).toEqual([
    ['stored-1', true, false, []],
    ['stored-1', true, true, []],
    ['stored-1', false, true, ['LATER']],
  ]);
});
