import 'server-only';
import { isNotPermitted } from '@/lib/redis/failure';

/** For `catch`: returns `fallback` where our Redis user may not run the command. Throws any other failure. */
export const withoutPermission =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (isNotPermitted(error)) return fallback;
    throw error;
  };
