import 'server-only';
import { headers } from 'next/headers';
import { cache } from 'react';
import type { Actor } from '@/lib/actor';
import { authenticateHeaders } from './authenticate';

/** The signed-in actor of the page being rendered; null without one. Cached per rendering. */
export const currentActor = cache(async (): Promise<Actor | null> => authenticateHeaders(await headers()));
