import 'server-only';
import { fallbackFor } from '@/lib/errors';
import { isNotPermitted } from '@/lib/redis/failure';

/** For `catch`: returns `fallback` where our Redis user may not run the command. Throws any other failure. */
export const withoutPermission = <T>(fallback: T) => fallbackFor(isNotPermitted, fallback);
