import type { Flag } from '@/lib/flags/schema';

/** A flag of `flags.list` that is off and has never changed. */
export const flagRow = (name: string, change: Partial<Flag> = {}): Flag => ({
  name,
  key: `env_vars:${name}`,
  enabled: false,
  raw: 'off',
  type: 'string',
  description: null,
  owner: null,
  kind: null,
  tags: [],
  etag: 'etag-1',
  ttlSeconds: null,
  updatedAt: null,
  updatedBy: null,
  reason: null,
  stale: false,
  unchangedSince: null,
  changedOutside: null,
  schedule: [],
  ...change,
});
