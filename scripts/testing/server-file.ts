import { afterAll, vi } from 'vitest';
import { forgetEnv } from '@/lib/configuration';

// Server tests share the modules of their worker, so a file leaves its process unchanged.
const environment = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  forgetEnv();
});
