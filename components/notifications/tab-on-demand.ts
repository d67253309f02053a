'use client';

import { onDemand } from '@/components/patterns/on-demand';

/** What the page of the audit log shows of notifications. */
export const Notifications = onDemand(
  async () => (await import('./notifications-tab')).NotificationsTab,
  'shown',
);
