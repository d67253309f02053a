'use client';

import { onDemand } from '@/components/patterns/on-demand';

/** The notifications on the page of the audit log. */
export const Notifications = onDemand(
  async () => (await import('./notifications-tab')).NotificationsTab,
  'shown',
);
