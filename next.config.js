const createNextIntlPlugin = require('next-intl/plugin');

const withNextIntl = createNextIntlPlugin('./app/i18n.ts');

/** `/` and nothing mean "no path", as in lib/env.ts. Fixed at build: the start script rebuilds on a change. */
const basePath = (process.env.KEYWARD_BASE_PATH ?? '').replace(/\/$/, '');

/** Headers every answer has, files and errors too. What differs by request is in proxy.ts. */
const everywhere = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'Referrer-Policy', value: 'no-referrer' },
  { key: 'Permissions-Policy', value: 'camera=(), geolocation=(), microphone=(), payment=(), usb=()' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
];
const forData = [{ key: 'Content-Security-Policy', value: "default-src 'none'; frame-ancestors 'none'" }];

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
  headers: async () => [
    { source: '/:path*', headers: everywhere },
    { source: '/api/:path*', headers: forData },
  ],
};

module.exports = withNextIntl(config);
