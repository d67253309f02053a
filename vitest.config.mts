import { defineConfig } from 'vitest/config';

const root = import.meta.dirname;

export default defineConfig({
  resolve: {
    alias: {
      '@': root,
      // `server-only` throws outside a React server build; tests are server code by definition.
      'server-only': `${root}/node_modules/server-only/empty.js`,
    },
  },
  test: {
    // On a busy machine things take their time: a second, which is the default, is too little.
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A third: they wait for servers and clocks as often as they compute.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        resolve: { alias: { typescript: `${root}/scripts/testing/typescript-5.ts` } },
        test: {
          name: 'server',
          // It takes TypeScript for what `typescript-5.ts` is.
          server: { deps: { inline: ['openapi-typescript'] } },
          include: [
            'lib/**/*.test.ts',
            'app/**/*.test.ts',
            'components/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          environment: 'node',
        },
      },
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
          // One import of Mantine and the console a worker, not one a file.
          isolate: false,
          // What is set up first ends first: a page is gone before its test is judged.
          sequence: { hooks: 'list' },
          setupFiles: ['scripts/testing/dom.ts'],
        },
      },
    ],
  },
});
