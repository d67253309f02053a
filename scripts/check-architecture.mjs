// Checks the rules of ARCHITECTURE.md and the words of vocabulary.mjs: `npm run rules`. Uses Node's own modules only.
// Every message says how to fix the problem.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkVocabulary } from './vocabulary.mjs';

/**
 * Import downward only, never sideways between folders of one rank. A name is a folder of lib, a file in lib, or a file in
 * a folder, whose rank differs from its folder's. Rank 0 is every other single file of lib, rank 7 every other folder: a
 * domain, which declares its contracts in a schema.ts. Rank 8 are domains that stand on others.
 */
const LIB_RANKS = [
  ['hit-rates/rate'],
  ['redis', 'keyspace', 'tracing'],
  ['audit', 'history'],
  ['access', 'upgrade', 'hit-rates/spans'],
  ['command'],
  ['http', 'jobs', 'values', 'snapshots', 'walk', 'role-keys', 'calls', 'figures', 'approval-requests'],
  ['key-values', 'undo'],
  [], // Domains.
  ['families/list', 'overview', 'approvals', 'conventions', 'notifications'],
  ['sampler', 'domains'],
  ['wiring'],
];
const DOMAIN_RANK = 7;
const RANK_OF_LIB = new Map(LIB_RANKS.flatMap((names, rank) => names.map((name) => [name, rank])));
/** Domains that need each other and may import each other, like files in one folder. */
const TOGETHER = new Map([
  ['tokens', 'sessions'],
  ['hit-rates', 'families'],
  ['presence', 'entities'],
  ['conversations', 'entities'],
]);

/** The prefixes of a domain's operations, where they differ from the name of its folder. */
const OPERATIONS_OF = new Map([
  ['exposition', ['figures', 'metrics.prometheus']],
  ['flags', ['flags', 'ofrep']],
  ['overview', ['overview', 'health']],
  ['rate-limits', ['guard.rateLimits']],
  ['server', ['server', 'slowlog', 'latency', 'commandstats', 'clients']],
  ['users', ['users', 'account', 'tokens.api']],
  ['walk', ['walks']],
]);

const SHARED_COMPONENTS = ['shell', 'charts', 'contract-list', 'data-table', 'patterns'];
const LIB_FOR_COMPONENTS =
  /^lib\/(api-client|errors|format|contract|csv|permissions|ids|locales|time|visible-text|exact-json|hit-rates\/rate|([\w-]+\/)+schema)$/;
/** Rules about names and values that pages check during typing; the server applies the same rules. */
const RULES_FOR_BOTH =
  /^lib\/(values\/style|keyspace\/(mask|secret-name|secret-text)|env\/(kinds|categories|doubts)|guard\/address-faults)(\.ts)?$/;
const FORBIDDEN_NAMES = /^(utils?|helpers?|types?|services?)$/;
const ROUTE_LINES = 15;
const MAX_COMMENT_LINES = 4;
const SCANNED = ['app', 'components', 'lib', 'e2e', 'scripts'];
const MAY_READ_ENVIRONMENT =
  /^(lib\/configuration\.ts|instrumentation\.ts|next\.config\.[mc]?[jt]s|scripts\/.*|e2e\/.*|.*\.test\.tsx?|[\w-]+\.config\.[mc]?[jt]s)$/;

const isTest = (path) => /\.(test|spec|bench)\.tsx?$/.test(path) || /(^|\/)testing\//.test(path);

const filesUnder = (root, folder) => {
  const full = join(root, folder);
  if (!statSync(full, { throwIfNoEntry: false })) return [];
  return readdirSync(full, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesUnder(root, path);
      return [path];
    });
};

/** Blanks comments but not string literals, and keeps line numbers. */
const withoutComments = (source) =>
  source.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g,
    (match) => (match.startsWith('/') ? match.replace(/[^\n]/g, ' ') : match),
  );

const IMPORTS = [
  /(?:^|[\n;}])\s*(?:import|export)\s+(?:type\s+)?(?:[\w$*{}\s,]+?\s+from\s*|\*\s*from\s*)?['"]([^'"]+)['"]/g,
  /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
  /\brequire\(\s*['"]([^'"]+)['"]\s*\)/g,
];

const importsOf = (source) =>
  IMPORTS.flatMap((pattern) =>
    [...source.matchAll(pattern)].map((match) => ({
      specifier: match[1],
      line: source.slice(0, match.index + match[0].length).split('\n').length,
    })),
  );

/** A specifier as a path from the root without its extension; null for a package. */
const localPath = (root, file, specifier) => {
  if (specifier.startsWith('@/')) return specifier.slice(2);
  if (!specifier.startsWith('.')) return null;
  return relative(root, resolve(root, dirname(file), specifier)).replaceAll('\\', '/');
};

const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const isSingleFile = (path) => /^lib\/[\w-]+(\.tsx?)?$/.test(path);

/** The rank of a file, and the unit within which it may import freely. Null: not ranked. */
const placeOf = (path) => {
  const [top, second = '', third = ''] = path.split('/');
  const name = second.replace(/\.\w+$/, '');
  if (top === 'lib') {
    const part = `${name}/${third.replace(/(\.test)?\.\w+$/, '')}`;
    if (RANK_OF_LIB.has(part)) return { rank: RANK_OF_LIB.get(part), unit: `lib/${part}` };
    const rank = RANK_OF_LIB.get(name) ?? (isSingleFile(path) ? 0 : DOMAIN_RANK);
    return { rank, unit: `lib/${TOGETHER.get(name) ?? name}` };
  }
  if (top === 'components') return { rank: 10, unit: 'components' };
  if (top === 'app') return { rank: 11, unit: 'app' };
  return /^(proxy|instrumentation)(\.\w+)?$/.test(path) ? { rank: 11, unit: path } : null;
};

const rankProblem = (file, target) => {
  const from = placeOf(file);
  const to = placeOf(target);
  if (!from || !to || from.unit === to.unit) return null;
  if (from.rank > to.rank) return null;
  if (from.rank === to.rank) {
    if (from.rank === 0 && isSingleFile(file) && isSingleFile(target)) return null;
    return `${from.unit} and ${to.unit} both have rank ${to.rank} and may not import each other: move what they share to a lower rank, or name what stands on others in LIB_RANKS`;
  }
  return `rank ${from.rank} (${from.unit}) may not import rank ${to.rank} (${to.unit}): imports go downward only; move the shared part down, or have the caller above pass it in`;
};

const componentProblem = (file, target) => {
  if (!file.startsWith('components/')) return null;
  if (target.startsWith('lib/')) {
    if (LIB_FOR_COMPONENTS.test(target.replace(/\.tsx?$/, '')) || RULES_FOR_BOTH.test(target)) return null;
    return `components import from lib only api-client, errors, format, contract, csv, permissions, ids, locales, time, visible-text, exact-json, hit-rates/rate and */schema, not ${target}: ask through the HTTP interface, or move what is isomorphic into a schema`;
  }
  const [, mine] = file.split('/');
  const [top, theirs] = target.split('/');
  if (top !== 'components' || mine === theirs || SHARED_COMPONENTS.includes(theirs)) return null;
  if (!target.slice('components/'.length).includes('/')) return null;
  return SHARED_COMPONENTS.includes(mine)
    ? `components/${mine} is shared and may not know components/${theirs}: take it as a prop or child`
    : `components/${mine} may not import components/${theirs}: let the page put them together, or move the common part to components/patterns`;
};

const packageProblem = (file, specifier) => {
  const name = packageOf(specifier);
  if (!file.startsWith('lib/') && !file.startsWith('app/') && !file.startsWith('components/')) return null;
  if (name === 'ioredis' && !file.startsWith('lib/redis/')) {
    return 'ioredis is imported in lib/redis only, its types too: take `reader`, `writer` or `store` from there';
  }
  if (name === 'bullmq' && !file.startsWith('lib/jobs/')) {
    return 'bullmq is imported in lib/jobs only: define a job and enqueue it through a command';
  }
  if (name === 'mongodb' && !file.startsWith('lib/rate-limits/')) {
    return 'mongodb is imported in lib/rate-limits only: limits are all that is read there';
  }
  if (name === 'recharts' && !file.startsWith('components/charts/')) {
    return 'recharts is imported in components/charts only: use or add a chart there';
  }
  return null;
};

const nameProblems = (file) => {
  const parts = file.split('/').map((part) => part.replace(/(\.d)?(\.test)?\.\w+$/, ''));
  const bad = parts.find((part) => FORBIDDEN_NAMES.test(part));
  if (bad) return [`"${bad}" says nothing: name the file or folder after what it holds`];
  if (/\.tsx?$/.test(file) && parts.at(-1) === 'index') {
    return ['no index files: import from the file that declares the thing'];
  }
  return [];
};

const isIsomorphic = (file) =>
  /\/schema\.ts$/.test(file) ||
  file.startsWith('lib/keyspace/') ||
  file === 'lib/hit-rates/rate.ts' ||
  RULES_FOR_BOTH.test(file) ||
  (isSingleFile(file) && placeOf(file).rank === 0);

const serverOnlyProblem = (file, source) => {
  if (!file.startsWith('lib/') || isTest(file) || isIsomorphic(file) || !/\.tsx?$/.test(file)) return null;
  if (/^\s*import 'server-only';/.test(source)) return null;
  return "a server module begins with `import 'server-only';` (schemas, the catalog and rank 0 are isomorphic)";
};

const environmentProblem = (file, source) => {
  if (MAY_READ_ENVIRONMENT.test(file) || !/\bprocess\s*\.\s*env\b|\bprocess\s*\[/.test(source)) return null;
  return 'process.env is read in lib/configuration.ts only: add the setting to Env and take it from env()';
};

/** Colours have meanings. What is chosen is blue by itself: it is the theme's first colour. */
const colourProblem = (file, source) => {
  const named = /\b(?:color|c)(?:=|: )['"{]*(blue|cyan|grape|indigo|lime|pink|teal|violet|yellow)\b/.exec(
    source,
  );
  if (!/^(app|components)\//.test(file) || !named) return null;
  return `${named[1]} means nothing: red is broken or destroys, orange needs the reader, green is good, gray is a fact`;
};

/**
 * React calls whatever an effect or a ref returns as its clean-up; `scrollIntoView` returns a promise. A setter,
 * `setX`, returns nothing.
 */
const effectProblems = (file, source) =>
  [
    ...source.matchAll(
      /\b(?:use\w*Effect\(|ref=\{)\s*\(?\w*\)?\s*=>(?!\s*(?:\{|set[A-Z]\w*\(|\w+[,)}]))|\buse\w*Effect\(\s*\w+\s*,|\breturn (?![^;\n]*=>)[^;\n]*\.(?:scroll\w*|focus|animate)\(/g,
    ),
  ].map(({ index }) => ({
    file,
    line: source.slice(0, index).split('\n').length,
    message: 'an effect or a ref returns its clean-up or nothing: put the body in braces',
  }));

const routeProblem = (file, source) => {
  if (!/^app\/api\/.*\/route\.tsx?$/.test(file)) return null;
  const lines = source.trimEnd().split('\n').length;
  if (lines <= ROUTE_LINES) return null;
  return `a route file declares and does not do: ${lines} lines, ${ROUTE_LINES} at most; move the work into lib`;
};

/** Phrases that read translated, or refer to documents outside the repository: [pattern, what to write instead]. */
const COMMENT_PHRASES = [
  [/(?:\/\*\*|\/\/) Of (?=[a-z])/, 'begin with what it is: "The length of …", "For a list: …"'],
  [
    /(?<!there )\bis no (?:array|hash|id|key|list|lock|name|number|queue|string|text|time)\b/i,
    'write "is not a …"',
  ],
  [/§|\bdocument \d{3}\b|\(0\d\d\)/i, 'name the Redis command, the RFC or the file here that a rule is from'],
];

/** Comments of more than four lines; tables and formats (indented lines) and text after a blank line do not count. */
const lengthProblem = (comment) => {
  const [text] = comment.split(/\n\s*\*\s*\n/);
  const prose = text.split('\n').filter((line) => /^\s*(?:\/\*\*?|\*|\/\/) ?[^\s*/]/.test(line));
  return prose.length > MAX_COMMENT_LINES
    ? `a comment says why in three lines: ${prose.length} here; shorten it, or name things so that it is not needed`
    : null;
};

const commentProblems = (root, file, source) => {
  const comments = source.matchAll(/^[ \t]*(?:\/\*\*?[\s\S]*?\*\/|(?:\/\/.*\n?[ \t]*)+)/gm);
  return [...comments].flatMap(({ 0: comment, index }) => {
    const phrases = isTest(file) ? [] : COMMENT_PHRASES.filter(([pattern]) => pattern.test(comment));
    const missing = [...comment.matchAll(/[\w./-]+\.md\b/g)].filter(
      ([path]) => ![root, join(root, dirname(file))].some((from) => existsSync(join(from, path))),
    );
    return [
      lengthProblem(comment),
      ...phrases.map(([pattern, better]) => `"${pattern.exec(comment)[0].trim()}" in a comment: ${better}`),
      ...missing.map(([path]) => `${path} is not in the repository: name the real source of the rule`),
    ]
      .filter(Boolean)
      .map((message) => ({ file, line: source.slice(0, index).split('\n').length, message }));
  });
};

/** Where an application may be named: in its catalog, the configuration, and scripts that run or test one. */
const MAY_NAME_APPLICATIONS = /^lib\/(apps\.ts|configuration[\w-]*\.ts|keyspace\/)/;

/** The ids in lib/apps.ts. */
const applicationsOf = (root) => {
  const path = join(root, 'lib/apps.ts');
  const source = statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, 'utf8') : '';
  const list = /APP_IDS = \[([^\]]*)\]/.exec(source)?.[1] ?? '';
  return [...list.matchAll(/'([\w-]+)'/g)].map(([, id]) => id);
};

/** A domain that asks for one application's family by name has no page for any other one. */
const applicationProblems = (applications, file, source) => {
  if (applications.length === 0 || !/^(lib|components|app)\//.test(file)) return [];
  if (isTest(file) || MAY_NAME_APPLICATIONS.test(file)) return [];
  const named = new RegExp(`['"\`](${applications.join('|')})(?:\\.[\\w-]*)?(?=['"\`$])`, 'g');
  return [...source.matchAll(named)].map(({ 0: text, index }) => ({
    file,
    line: source.slice(0, index).split('\n').length,
    message: `${text.slice(1)} is one application's: ask for a role (catalog.role('session')), which its catalog declares`,
  }));
};

/** Reports a folder that is neither a domain (no schema.ts) nor in the table above. */
const placeProblem = (known, file) => {
  const [top, folder] = file.split('/');
  if (top !== 'lib' || isTest(file) || isSingleFile(file) || RANK_OF_LIB.has(folder)) return null;
  if (known.has(`lib/${folder}/schema.ts`)) return null;
  return `lib/${folder} has no rank: a domain declares its contracts in lib/${folder}/schema.ts; anything else goes into the table here and in ARCHITECTURE.md`;
};

const camelCase = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** The shell's own pages, which ask several domains. */
const SHELL_PAGES = ['find'];

/** A domain has one word, its page's: for its folders, its texts and its operations. */
const wordProblems = (root, file, source) => {
  const [, page] = /^app\/\(console\)\/\[connection\]\/([\w-]+)\//.exec(file) ?? [];
  const [, component] = /^components\/([\w-]+)\//.exec(file) ?? [];
  if (SHELL_PAGES.includes(page)) return [];
  const word = page ?? (SHARED_COMPONENTS.includes(component) ? undefined : component);
  const places = word ? [`lib/${word}`, `components/${word}`, `messages/en/${word}.json`] : [];
  const missing = places
    .filter((place) => !statSync(join(root, place), { throwIfNoEntry: false }))
    .map((place) => `${place} is missing: a page, its folders and its texts have the same word`);
  const [, domain] = /^lib\/([\w-]+)\/.*schema\.ts$/.exec(file) ?? [];
  if (!domain) return missing;
  const prefixes = OPERATIONS_OF.get(domain) ?? [camelCase(domain)];
  return [...source.matchAll(/\bid: '(\w+(?:\.\w+)+)'/g)]
    .filter(([, id]) => !prefixes.some((prefix) => id.startsWith(`${prefix}.`) || id === prefix))
    .map(([, id]) => `${id}: operations of lib/${domain} begin with ${prefixes.join(', ')}`);
};

/** The file an import resolves to, with its extension; null without one. */
const fileOf = (known, target) =>
  [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].find((path) => known.has(path)) ?? null;

const GATHERED = /\bimport\.meta\.glob(?:<[^()]+>)?\(\s*(\[[^\]]*\]|'[^']*')/g;

/** The files among `known` that `import.meta.glob` gathers. */
const gatheredBy = (root, known, file, source) =>
  [...source.matchAll(GATHERED)].flatMap(([, list]) => {
    const formOf = (glob) =>
      new RegExp(`^${localPath(root, file, glob).replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
    const globs = [...list.matchAll(/'(!?)(\.[^']+)'/g)].map(([, not, glob]) => ({
      not,
      form: formOf(glob),
    }));
    const has = (path, excluded) =>
      globs.some(({ not, form }) => (not === '!') === excluded && form.test(path));
    return [...known].filter((path) => has(path, false) && !has(path, true));
  });

/** Every import circle once, as the files along it. */
const circlesIn = (graph) => {
  const state = new Map();
  const circles = [];
  const path = [];
  const visit = (file) => {
    state.set(file, 'open');
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      if (state.get(next) === 'open') circles.push(path.slice(path.indexOf(next)));
      else if (!state.has(next)) visit(next);
    }
    path.pop();
    state.set(file, 'done');
  };
  for (const file of graph.keys()) if (!state.has(file)) visit(file);
  return circles;
};

const importProblems = (root, file, source) =>
  importsOf(source).flatMap(({ specifier, line }) => {
    const target = localPath(root, file, specifier);
    const problems = target === null ? [packageProblem(file, specifier)] : [];
    if (target !== null && !isTest(file))
      problems.push(rankProblem(file, target), componentProblem(file, target));
    return problems.filter(Boolean).map((message) => ({ file, line, message }));
  });

/** Files of lib and components imported only by tests: missing in a registry, or unused. */
const unused = (graph) => {
  const imported = new Set([...graph].flatMap(([file, targets]) => (isTest(file) ? [] : targets)));
  return [...graph.keys()].filter(
    (file) => /^(lib|components)\/.*\.tsx?$/.test(file) && !isTest(file) && !imported.has(file),
  );
};

/** Checks the tree under `root`. Returns `{ files, problems: [{ file, line, message }] }`. */
export const checkArchitecture = (root) => {
  const beside = readdirSync(root).filter((name) => /^[\w.-]+\.(ts|tsx|mjs|js)$/.test(name));
  const files = [...SCANNED.flatMap((folder) => filesUnder(root, folder)), ...beside];
  const code = files.filter((file) => /\.(tsx?|mjs|js)$/.test(file) && file !== 'next-env.d.ts');
  const known = new Set(code);
  const graph = new Map();
  const applications = applicationsOf(root);
  const problems = files.flatMap((file) => nameProblems(file).map((message) => ({ file, line: 1, message })));
  for (const file of code) {
    const text = readFileSync(join(root, file), 'utf8');
    problems.push(...commentProblems(root, file, text));
    const source = withoutComments(text);
    const rules = [serverOnlyProblem, environmentProblem, colourProblem, routeProblem];
    const whole = [placeProblem(known, file), ...rules.map((rule) => rule(file, source))];
    whole.push(...(isTest(file) ? [] : wordProblems(root, file, source)));
    problems.push(...whole.filter(Boolean).map((message) => ({ file, line: 1, message })));
    problems.push(...importProblems(root, file, source), ...applicationProblems(applications, file, source));
    if (!isTest(file)) problems.push(...effectProblems(file, source));
    const gathered = isTest(file) ? [] : gatheredBy(root, known, file, source);
    for (const target of gathered)
      for (const message of [rankProblem(file, target), componentProblem(file, target)].filter(Boolean))
        problems.push({ file, line: 1, message });
    const targets = importsOf(source).map(({ specifier }) => localPath(root, file, specifier));
    graph.set(file, [
      ...new Set(
        targets
          .filter(Boolean)
          .map((target) => fileOf(known, target))
          .filter(Boolean)
          .concat(gathered),
      ),
    ]);
  }
  for (const file of unused(graph)) {
    const message = 'nothing imports this: add it where its kind is listed (CONTRIBUTING.md), or delete it';
    problems.push({ file, line: 1, message });
  }
  for (const circle of circlesIn(graph)) {
    const message = `import circle ${[...circle, circle[0]].join(' → ')}: move what both need into a file of its own`;
    problems.push({ file: circle[0], line: 1, message });
  }
  return { files: code.length, problems };
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
  const { files, problems: broken } = checkArchitecture(root);
  const problems = [...broken, ...checkVocabulary(root)];
  for (const { file, line, message } of problems) process.stderr.write(`${file}:${line}: ${message}.\n`);
  process.stdout.write(`Architecture and words: ${files} files, ${problems.length} broken rules.\n`);
  process.exit(problems.length > 0 ? 1 : 0);
}
