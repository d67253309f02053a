'use client';

import { onDemand } from '@/components/patterns/on-demand';

/** The tabs of the guard page about rate limits. */
export const RateLimits = onDemand(async () => (await import('./window-list')).RateLimits, 'shown');
export const RefusedPanel = onDemand(async () => (await import('./refused-events')).RefusedPanel, 'shown');
