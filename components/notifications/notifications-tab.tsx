'use client';

import { AddressedList } from '@/components/contract-list/addressed-list';
import { NOTIFICATIONS } from './notification-list';

/** On the page of the audit log. */
export const NotificationsTab = () => <AddressedList list={NOTIFICATIONS} />;
