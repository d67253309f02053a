'use client';

import { ListPage } from '@/components/contract-list/list-page';
import { JOBS } from './job-list';

const TABS = { jobs: { list: JOBS } };

export const JobsPage = () => <ListPage texts="jobs" tabs={TABS} />;
