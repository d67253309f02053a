import type { Connection } from '@/lib/connections/schema';

/** A connection of `connections.list` that works. */
export const connectionRow = (change: Partial<Connection> = {}): Connection => ({
  id: 'demo',
  name: 'Demo',
  environment: 'development',
  topology: 'standalone',
  server: null,
  status: 'ready',
  statusReason: null,
  apps: ['discours'],
  roles: ['session', 'flag', 'variable'],
  entities: [],
  role: 'primary',
  readOnly: false,
  scan: {
    chunk: 100,
    pauseMs: 1,
    maxAddedLatencyMs: 1,
    currentPauseMs: 1,
    latencyMs: null,
    backedOff: false,
  },
  ...change,
});
