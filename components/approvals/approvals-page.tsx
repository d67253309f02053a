'use client';

import { ListPage } from '@/components/contract-list/list-page';
import { APPROVALS } from './approval-list';

const TABS = { approvals: { list: APPROVALS } };

/** Changes that wait for approval by a second user. */
export const ApprovalsPage = () => <ListPage texts="approvals" tabs={TABS} />;
