// `node scripts/page-weight.mjs [folder of a build]`: the gzipped script that each page loads before it is usable, and
// whether it is within the limit. With source maps (KEYWARD_SOURCE_MAPS=1 at build) it lists the heaviest modules.
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { filesUnder } from './files-under.mjs';
import { ROOT, say } from './setup.mjs';

/**
 * The limits in KB (1000 bytes). The goals are 130, and 260 without charts; Next and React alone are 136. Charts are
 * loaded on demand; a page whose first script contains recharts is a separate kind, so that the limit reports it.
 */
const LIMITS = { 'sign-in': 142, 'set-up': 200, 'without charts': 274, 'with charts': 340 };
const NAMED_MODULES = 12;
const CHARTS = 'recharts';
const STEP = 20;

const packageOrFile = (source) => {
  const path = source.replace(/^(turbopack:\/\/\/)?(\[project\]\/)?/, '');
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.replace(/^.*\/keyward\//, '');
};

/** The characters of a script by their modules, looked up for one character in `STEP`. */
const charactersByModule = (script, map) => {
  const places = new SourceMap(map);
  const characters = new Map();
  script.split('\n').forEach((line, number) => {
    for (let column = 0; column < line.length; column += STEP) {
      const { originalSource } = places.findEntry(number, column);
      if (!originalSource) continue;
      const name = packageOrFile(originalSource);
      characters.set(name, (characters.get(name) ?? 0) + STEP);
    }
  });
  return characters;
};

/** A file of the build: its gzipped size, and the share of each module. */
const measure = (folder, file) => {
  const script = readFileSync(join(folder, file), 'utf8');
  const size = gzipSync(script).length;
  const mapFile = /sourceMappingURL=(\S+)\s*$/.exec(script)?.[1];
  const mapPath = mapFile && join(folder, dirname(file), mapFile);
  if (!mapPath || !existsSync(mapPath)) return { size, modules: new Map([[file, size]]) };
  const characters = charactersByModule(script, JSON.parse(readFileSync(mapPath, 'utf8')));
  const modules = new Map([...characters].map(([name, count]) => [name, (count / script.length) * size]));
  return { size, modules };
};

const readManifest = (file) => {
  const sandbox = { globalThis: {} };
  vm.runInNewContext(readFileSync(file, 'utf8'), sandbox);
  return Object.entries(sandbox.globalThis.__RSC_MANIFEST);
};

const kindOf = (route, modules) => {
  if (route === '/(auth)/sign-in/page') return 'sign-in';
  if (route.startsWith('/(auth)')) return 'set-up';
  return modules.has(CHARTS) ? 'with charts' : 'without charts';
};

/** Every page of a build with its weight in bytes, its kind and its modules, the heaviest first. */
export const weighPages = (folder) => {
  const { rootMainFiles } = JSON.parse(readFileSync(join(folder, 'build-manifest.json'), 'utf8'));
  const measured = new Map();
  const measureOnce = (file) => {
    if (!measured.has(file)) measured.set(file, measure(folder, file));
    return measured.get(file);
  };
  return filesUnder(join(folder, 'server/app'))
    .filter((file) => file.endsWith('/page_client-reference-manifest.js'))
    .flatMap(readManifest)
    .filter(([route]) => route.startsWith('/('))
    .map(([route, { entryJSFiles }]) => {
      const files = [...new Set([...rootMainFiles, ...Object.values(entryJSFiles).flat()])];
      const modules = new Map();
      for (const file of files)
        for (const [name, size] of measureOnce(file).modules)
          modules.set(name, (modules.get(name) ?? 0) + size);
      const bytes = files.reduce((sum, file) => sum + measureOnce(file).size, 0);
      const heaviest = [...modules].sort(([, a], [, b]) => b - a);
      return { route: route.replace(/\/page$/, ''), kind: kindOf(route, modules), bytes, files, heaviest };
    })
    .sort((a, b) => b.bytes - a.bytes);
};

const kb = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
const modulesIn = ({ heaviest }, count = NAMED_MODULES) =>
  heaviest.slice(0, count).map(([name, bytes]) => `    ${kb(bytes)} ${name}`);

/** A line for each page over its limit, followed by its heaviest modules. */
export const overLimit = (pages, limits = LIMITS) =>
  pages
    .filter(({ kind, bytes }) => bytes > limits[kind] * 1000)
    .map((page) =>
      [
        `${page.route}: ${kb(page.bytes)}, limit ${limits[page.kind]} KB ${page.kind}`,
        ...modulesIn(page),
      ].join('\n'),
    );

const main = () => {
  const folder = join(ROOT, process.argv[2] ?? process.env.KEYWARD_DIST_DIR ?? '.next');
  const wanted = process.argv[3];
  const pages = weighPages(folder);
  if (pages.length === 0) throw new Error(`${relative(ROOT, folder)} has no pages.`);
  for (const page of pages) {
    say(`${kb(page.bytes).padStart(9)}  ${page.kind.padEnd(14)}  ${page.route}`);
    if (wanted && page.route.endsWith(wanted)) say(modulesIn(page, 80).join('\n'));
  }
  const over = overLimit(pages);
  for (const line of over) say(`OVER  ${line}`);
  if (over.length > 0) say('A build with KEYWARD_SOURCE_MAPS=1 names the modules.');
  process.exitCode = over.length > 0 ? 1 : 0;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
