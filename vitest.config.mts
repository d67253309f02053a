import { defineConfig } from 'vitest/config';

const root = import.meta.dirname;

/** Server tests by their ending: a package that was built here holds copies of them. */
const ending = (end: string) =>
  ['lib', 'app', 'components', 'messages', 'scripts'].map((folder) => `${folder}/**/*${end}`);
/** Tests that replace modules, load them twice, or change their process for good. */
const ALONE = ending('.alone.test.ts');
/** Tests that take minutes: `npm run test:all`. */
const LONG = ending('.long.test.ts');

const SERVER = {
  extends: true,
  resolve: { alias: { typescript: `${root}/scripts/testing/typescript-5.ts` } },
  test: {
    // So that it imports `typescript-5.ts` instead of TypeScript.
    server: { deps: { inline: ['openapi-typescript'] } },
    include: ending('.test.ts'),
    environment: 'node',
  },
};

export default defineConfig({
  resolve: {
    alias: {
      '@': root,
      // `server-only` throws outside a React server build; tests are server code by definition.
      'server-only': `${root}/node_modules/server-only/empty.js`,
    },
  },
  test: {
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    tags: [{ name: 'long', description: 'The second tier: `npm run test:all`.' }],
    // Each worker loads and compiles the console itself. Beside the build, three were done 21 s later than two.
    maxWorkers: 2,
    // Fewer collections of what lives briefly.
    execArgv: ['--max-semi-space-size=64'],
    projects: [
      {
        ...SERVER,
        test: {
          ...SERVER.test,
          name: 'server',
          exclude: [...ALONE, ...LONG],
          // The console's modules are imported once per worker, not once per file.
          isolate: false,
          setupFiles: ['scripts/testing/server-file.ts'],
        },
      },
      { ...SERVER, test: { ...SERVER.test, name: 'alone', include: ALONE } },
      { ...SERVER, test: { ...SERVER.test, name: 'long', include: LONG } },
      {
        extends: true,
        resolve: {
          alias: {
            'next/link': `${root}/scripts/testing/next-link.tsx`,
            'next/navigation': `${root}/scripts/testing/next-navigation.ts`,
          },
        },
        test: {
          name: 'components',
          include: ['components/**/*.test.tsx'],
          environment: 'happy-dom',
          // Mantine and the console are imported once per worker, not once per file.
          isolate: false,
          // Hooks clean up in the order of setup: a page unmounts before its test is judged.
          sequence: { hooks: 'list' },
          setupFiles: ['scripts/testing/dom.ts'],
        },
      },
    ],
  },
});
