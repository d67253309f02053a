'use client';

import { ListPage } from '@/components/contract-list/list-page';
import { LOCKS } from './lock-list';
import { PROCESSES } from './process-list';

const TABS = { locks: { roles: ['lock'], list: LOCKS }, processes: { roles: ['state'], list: PROCESSES } };

/** Who holds which lock, and how far processes are. */
export const LocksPage = () => <ListPage texts="locks" tabs={TABS} />;
