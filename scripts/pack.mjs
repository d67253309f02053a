// `npm run pack`: the package that `npx keyward` runs, with its build: .keyward/package/keyward-<version>.tgz.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { filesUnder } from './files-under.mjs';
import { ensureDependencies, fail, ROOT, run, SetupError, say } from './setup.mjs';

// Set before scripts/build.mjs is loaded.
const DIST_DIR = '.next-package';
process.env.KEYWARD_DIST_DIR = DIST_DIR;
process.env.KEYWARD_STANDALONE = '1';

const FOLDER = join(ROOT, '.keyward/package');
const OUT = join(FOLDER, 'keyward');
const STANDALONE = join(ROOT, DIST_DIR, 'standalone');
const MAX_BYTES = 60e6;

/** TypeScript that the commands load, each as a file of its own. */
const BUNDLED = [
  'scripts/configuration.ts',
  'scripts/check-store.ts',
  'scripts/conventions-check.ts',
  'scripts/catalog-file.ts',
  'scripts/check-head.ts',
  'scripts/console-users.ts',
  'scripts/doctor-checks.ts',
  'lib/upgrade/backup.ts',
  'scripts/demo-traffic/main.ts',
  'lib/redis/store.ts',
  'lib/access/seal-records.ts',
];

/** Packages with a file per platform, which npm installs, and image tools, because the console resizes no images. */
const LEFT_OUT = /^(@node-rs|@img|sharp|detect-libc)$/;
const NATIVE = '@node-rs/argon2';

const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));
const writeJson = (value, ...path) => writeFileSync(join(...path), `${JSON.stringify(value, null, 2)}\n`);

/** Turbopack names an external package by a link with a digest. npm packs no links, so it gets its own name again. */
const nameExternals = () => {
  const links = join(STANDALONE, DIST_DIR, 'node_modules');
  const entries = readdirSync(links, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name, parentPath }) => [name, basename(readlinkSync(join(parentPath, name)))]);
  for (const file of filesUnder(join(OUT, DIST_DIR, 'server')).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(file, 'utf8');
    const named = names.reduce((whole, [link, name]) => whole.replaceAll(link, name), text);
    if (named !== text) writeFileSync(file, named);
  }
};

/** Copies a text without the path of this machine's folder. */
const copyText = (name) =>
  writeFileSync(join(OUT, name), readFileSync(join(STANDALONE, name), 'utf8').replaceAll(ROOT, '/keyward'));

const copyBuild = () => {
  const isServer = (path) => relative(join(STANDALONE, DIST_DIR), path) !== 'node_modules';
  cpSync(join(STANDALONE, DIST_DIR), join(OUT, DIST_DIR), { recursive: true, filter: isServer });
  cpSync(join(ROOT, DIST_DIR, 'static'), join(OUT, DIST_DIR, 'static'), { recursive: true });
  cpSync(join(ROOT, 'public'), join(OUT, 'public'), { recursive: true });
  for (const name of ['server.js', join(DIST_DIR, 'required-server-files.json')]) copyText(name);
  nameExternals();
};

const KEPT = ['name', 'version', 'license', 'type', 'main', 'module', 'exports', 'imports'];

/** The packages that the server uses, each with those of its files that it uses. Returns their versions by name. */
const copyPackages = () => {
  const from = join(STANDALONE, 'node_modules');
  cpSync(from, join(OUT, 'node_modules'), {
    recursive: true,
    filter: (path) => !LEFT_OUT.test(relative(from, path)),
  });
  const packed = filesUnder(join(OUT, 'node_modules')).filter((file) => basename(file) === 'package.json');
  const versions = {};
  for (const file of packed) {
    const { name, version, ...rest } = readJson(file);
    // Without dependencies, because npm would install those that the trace left out.
    writeJson(
      Object.fromEntries(Object.entries({ name, version, ...rest }).filter(([key]) => KEPT.includes(key))),
      file,
    );
    const folder = relative(join(OUT, 'node_modules'), join(file, '..'));
    if (folder === name) versions[name] = version;
    const license = readdirSync(join(ROOT, 'node_modules', folder)).find((entry) =>
      /^licen[cs]e/i.test(entry),
    );
    if (license) cpSync(join(ROOT, 'node_modules', folder, license), join(file, '..', license));
  }
  return versions;
};

/** The scripts that `keyward.mjs` loads, directly or through others. */
const scriptsFrom = (name, names = new Set()) => {
  if (names.has(name)) return names;
  names.add(name);
  const text = readFileSync(join(ROOT, 'scripts', name), 'utf8');
  for (const [, imported] of text.matchAll(/['"](?:\.\/)?([\w-]+\.mjs)['"]/g)) scriptsFrom(imported, names);
  return names;
};

const copySources = () => {
  const read = ['lib', 'scripts/demo-traffic']
    .flatMap((folder) => filesUnder(join(ROOT, folder)))
    .filter((file) => /\.(lua|ya?ml)$/.test(file) && !/test/.test(file));
  const scripts = [...scriptsFrom('keyward.mjs')].map((name) => join(ROOT, 'scripts', name));
  const beside = ['.env.example', 'LICENSE', 'README.md', 'CHANGELOG.md', 'docs'].flatMap((name) =>
    filesUnder(join(ROOT, name)),
  );
  for (const file of [...read, ...scripts, ...beside]) cpSync(file, join(OUT, relative(ROOT, file)));
  chmodSync(join(OUT, 'scripts/keyward.mjs'), 0o755);
};

const writeManifest = (versions) => {
  const { name, version, description, license, engines, dependencies } = readJson(ROOT, 'package.json');
  writeJson(
    {
      name,
      version,
      description,
      license,
      engines,
      bin: { keyward: 'scripts/keyward.mjs' },
      dependencies: { ...versions, [NATIVE]: dependencies[NATIVE] },
      bundleDependencies: Object.keys(versions),
    },
    OUT,
    'package.json',
  );
};

const main = async () => {
  await ensureDependencies();
  const { build, bundleInto } = await import('./build.mjs');
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  say('Building the console…');
  await build('');
  copyBuild();
  copySources();
  await bundleInto(join(OUT, 'bundles'), BUNDLED, [NATIVE]);
  writeManifest(copyPackages());
  const bytes = filesUnder(OUT).reduce((sum, file) => sum + readFileSync(file).length, 0);
  if (bytes > MAX_BYTES) throw new SetupError(`The package has ${bytes} bytes, more than ${MAX_BYTES}.`);
  if (!(await run('npm', ['pack', '--pack-destination', FOLDER], { cwd: OUT })))
    throw new SetupError('npm could not pack it.');
  const { name, version } = readJson(OUT, 'package.json');
  say(`Packed ${join(FOLDER, `${name}-${version}.tgz`)}: ${(bytes / 1e6).toFixed(1)} MB unpacked.`);
};

main().catch(fail);
