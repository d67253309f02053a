const { relative } = require('node:path');
const createNextIntlPlugin = require('next-intl/plugin');
const { USES_TEXTS } = require('./scripts/own-texts.cjs');

const withNextIntl = createNextIntlPlugin('./app/i18n.ts');

/**
 * `/` and an empty value mean "no base path", as in lib/configuration.ts. Fixed at build: the start script rebuilds when it
 * changes.
 */
const basePath = (process.env.KEYWARD_BASE_PATH ?? '').replace(/\/$/, '');

/** Modules for the browser that use texts, and the list of all texts. */
const ownTexts = {
  condition: {
    all: ['browser', { not: 'foreign' }, { any: [{ content: USES_TEXTS }, { path: /messages\/en\.ts$/ }] }],
  },
  loaders: [require.resolve('./scripts/own-texts.cjs')],
};

/** Texts for the browser, parsed. */
const compiledTexts = {
  condition: { all: ['browser', { path: /messages\/\w\w\/[\w-]+\.json$/ }] },
  loaders: [require.resolve('./scripts/own-texts.cjs')],
  as: '*.js',
};

/** Formats compiled texts. Turbopack needs a relative path. */
const FORMAT_ONLY = `./${relative(__dirname, require.resolve('use-intl/format-message/format-only'))}`;

/** Schemas for the browser, without what only the server uses. */
const slimContracts = {
  condition: { all: ['browser', { path: /\blib\/(contract|.*\bschema)\.ts$/ }] },
  loaders: [require.resolve('./scripts/slim-contracts.cjs')],
};

/** For scripts/page-weight.mjs, which then names the modules in a page's script. */
const namesModules = process.env.KEYWARD_SOURCE_MAPS === '1';

/** @type {import('next').NextConfig} */
const config = {
  // Tests build into a folder of their own, so that a demo can keep running.
  ...(process.env.KEYWARD_DIST_DIR && { distDir: process.env.KEYWARD_DIST_DIR }),
  ...(basePath && { basePath }),
  // For scripts/pack.mjs: the server with only those files of its dependencies that it uses.
  ...(process.env.KEYWARD_STANDALONE === '1' && { output: 'standalone' }),
  // Behind a proxy the next page may come from another process: of another build it would be loaded completely.
  generateBuildId: () => process.env.KEYWARD_BUILD_ID || null,
  poweredByHeader: false,
  reactStrictMode: true,
  // `npm test` checks types separately, so the demo's build need not.
  typescript: { ignoreBuildErrors: true },
  productionBrowserSourceMaps: namesModules,
  turbopack: {
    rules: { '*.ts': [ownTexts, slimContracts], '*.tsx': ownTexts, '*.json': compiledTexts },
    resolveAlias: { 'use-intl/format-message': { browser: FORMAT_ONLY } },
  },
  experimental: {
    // Nobody builds the same sources twice, and writing the cache took a third of the time.
    turbopackFileSystemCacheForBuild: false,
    // Half of a build's size, and no stack trace uses them: Node does so only when asked.
    turbopackSourceMaps: process.env.NODE_ENV === 'development' || namesModules,
    // A process holds 75 MB less.
    serverMinification: true,
    // Loading every page and route at the start takes 180 MB that most processes never need.
    preloadEntriesOnStart: false,
  },
  serverExternalPackages: ['ioredis', 'bullmq', '@node-rs/argon2', 'mongodb', 'nodemailer'],
};

module.exports = withNextIntl(config);
