const createNextIntlPlugin = require('next-intl/plugin');

const withNextIntl = createNextIntlPlugin('./app/i18n.ts');

/** `/` and nothing mean "no path", as in lib/env.ts. Fixed at build: the start script rebuilds on a change. */
const basePath = (process.env.KEYWARD_BASE_PATH ?? '').replace(/\/$/, '');

/** @type {import('next').NextConfig} */
const config = {
  // Tests build beside what a demo serves.
  ...(process.env.KEYWARD_DIST_DIR && { distDir: process.env.KEYWARD_DIST_DIR }),
  ...(basePath && { basePath }),
  poweredByHeader: false,
  reactStrictMode: true,
  // `npm test` checks types as a step of its own; the demo's build need not wait for it.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ['ioredis', 'bullmq', '@node-rs/argon2', 'mongodb'],
};

module.exports = withNextIntl(config);
