import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import {
  createNotification,
  deleteNotification,
  testNotification,
  updateNotification,
} from '@/lib/notifications/commands';
import { listNotifications, notificationsOf } from '@/lib/notifications/reads';
import { notificationContracts } from '@/lib/notifications/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(notificationContracts.list, listNotifications),
    commandRoute(createNotification),
    commandRoute(updateNotification),
    commandRoute(deleteNotification),
    commandRoute(testNotification),
  ],
  channelUses: notificationsOf,
};
