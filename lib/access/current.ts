import 'server-only';
import { headers } from 'next/headers';
import { cache } from 'react';
import type { Actor } from '@/lib/actor';
import { authenticateHeaders } from './authenticate';

/** Who looks at this page; null: nobody signed in. Asked once per rendering. */
export const currentActor = cache(async (): Promise<Actor | null> => authenticateHeaders(await headers()));
