'use client';

import { onDemand } from '@/components/patterns/on-demand';

/** What the guard's tabs show of rate limits. */
export const RateLimits = onDemand(async () => (await import('./window-list')).RateLimits, 'shown');
export const RefusedPanel = onDemand(async () => (await import('./refused-events')).RefusedPanel, 'shown');
