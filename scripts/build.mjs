// Bundles TypeScript for plain Node, and builds the console when its sources changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eachLine, startChild } from './child.mjs';
import { filesUnder } from './files-under.mjs';
import { IS_PACKAGE, ROOT, SetupError, say } from './setup.mjs';

/** The installed package may be read-only, so its state is in the user's folder for state. */
const HOME = () => join(process.env.XDG_STATE_HOME || join(homedir(), '.local/state'), 'keyward');
/** Secrets, the private store and the demo's data. Tests that start the console like its users have a separate folder. */
export const STATE = process.env.KEYWARD_STATE_DIR || (IS_PACKAGE ? HOME() : join(ROOT, '.keyward'));
/** Where Next builds to, as in next.config.js. Tests have a separate folder, so that they can run beside a demo. */
const DIST = process.env.KEYWARD_DIST_DIR || '.next';
/** Bundles, and the digest of the sources of the build. */
const BUNDLES = join(ROOT, '.keyward/build', DIST);
const SOURCES = ['app', 'components', 'lib', 'messages', 'public'];

const isBuilt = (path) => !/\.(test|bench)\.tsx?$/.test(path);

const digestOf = (files, extra) => {
  const hash = createHash('sha256').update(extra);
  for (const file of files) hash.update(`\0${relative(ROOT, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
};

/** A digest of everything a build depends on: sources, configuration files and the base path. */
const sourceDigest = (basePath) => {
  const beside = readdirSync(ROOT).filter(
    (name) => /\.([mc]?[jt]s|json)$/.test(name) && name !== 'next-env.d.ts',
  );
  const steering = beside.filter((name) => !/^(vitest|playwright)\.config|^biome\.json/.test(name)).sort();
  const files = [...SOURCES, ...steering].flatMap((name) => filesUnder(join(ROOT, name))).filter(isBuilt);
  return digestOf(files, JSON.stringify([process.versions.modules, basePath]));
};

const read = (file) => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
};

/** Whether the build matches the current sources and `basePath`. */
export const isFresh = (basePath) => {
  const id = read(join(ROOT, DIST, 'BUILD_ID'));
  return id !== null && read(join(BUNDLES, 'console')) === `${sourceDigest(basePath)} ${id}`;
};

/** Runs `next build`, passing its output to `onLine`. Throws `SetupError` with the end of the output when it fails. */
export const build = async (basePath, onLine = () => {}) => {
  const next = join(ROOT, 'node_modules/next/dist/bin/next');
  if (!existsSync(next))
    throw new SetupError('The console cannot be built: Next.js is not installed (npm ci).');
  const digest = sourceDigest(basePath);
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    KEYWARD_BASE_PATH: basePath || '/',
    // The same on every machine with these sources.
    KEYWARD_BUILD_ID: digest.slice(0, 21),
  };
  const child = startChild(process.execPath, [next, 'build'], { cwd: ROOT, env });
  const lines = [];
  const hear = (line) => {
    lines.push(line);
    onLine(line);
  };
  eachLine(child.process.stdout, hear);
  eachLine(child.process.stderr, hear);
  const { code } = await child.exited;
  if (code !== 0) throw new SetupError(`The console could not be built:\n${lines.slice(-60).join('\n')}`);
  mkdirSync(BUNDLES, { recursive: true, mode: 0o700 });
  writeFileSync(join(BUNDLES, 'console'), `${digest} ${read(join(ROOT, DIST, 'BUILD_ID'))}\n`);
};

/** Builds the console if its sources or its base path changed since the last build. */
export const ensureBuilt = async (basePath) => {
  if (IS_PACKAGE && basePath)
    throw new SetupError(
      'KEYWARD_BASE_PATH: the package is built for the root of a host. Build a checkout to serve it under a path.',
    );
  if (IS_PACKAGE) return;
  if (isFresh(basePath)) return;
  say('Building the console (no build yet, or the sources changed)…');
  const start = Date.now();
  await build(basePath);
  say(`Built in ${Math.round((Date.now() - start) / 1000)} s.`);
};

const esbuild = async () => {
  try {
    return await import('esbuild');
  } catch {
    throw new SetupError('esbuild is not installed, so TypeScript cannot be bundled. Run `npm ci`.');
  }
};

const BUNDLE = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  alias: { '@': ROOT, 'server-only': join(ROOT, 'node_modules/server-only/empty.js') },
  logLevel: 'error',
};

const bundleName = (entry) => entry.replace(/\.ts$/, '').replaceAll('/', '.');

/** Bundles entries into a folder, with their packages except those in `external`, for an installed package. */
export const bundleInto = async (folder, entries, external) => {
  const { build: bundleWith } = await esbuild();
  await bundleWith({
    ...BUNDLE,
    entryPoints: entries.map((entry) => ({ in: entry, out: bundleName(entry) })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    minify: true,
    keepNames: true,
    external,
    // Packages in CommonJS ask for Node's own modules by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
};

/**
 * Bundles a TypeScript entry (path from the root) for plain Node, without packages. Returns the URL to import and the
 * path to run. Reused until the entry or one of its imports changes, so that a start without the build tools works too.
 */
export const bundle = async (entry) => {
  const file = join(IS_PACKAGE ? join(ROOT, 'bundles') : BUNDLES, `${bundleName(entry)}.mjs`);
  if (IS_PACKAGE) return { file, url: pathToFileURL(file).href };
  const key = read(`${file}.key`);
  const inputs = key ? JSON.parse(key) : null;
  const fresh = inputs && existsSync(file) && inputs.files.every((input) => existsSync(join(ROOT, input)));
  const digest = (files) =>
    digestOf(
      files.map((source) => join(ROOT, source)),
      '1',
    );
  if (!fresh || digest(inputs.files) !== inputs.digest) {
    const { build: bundleWith } = await esbuild();
    const { metafile } = await bundleWith({
      ...BUNDLE,
      entryPoints: [entry],
      outfile: file,
      packages: 'external',
      sourcemap: 'inline',
      metafile: true,
    });
    const files = Object.keys(metafile.inputs).filter((input) => !input.startsWith('node_modules/'));
    writeFileSync(`${file}.key`, JSON.stringify({ files, digest: digest(files) }));
  }
  return { file, url: pathToFileURL(file).href };
};
