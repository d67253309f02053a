'use client';

import { ListPage } from '@/components/contract-list/list-page';
import { NODES } from './node-list';

const TABS = { nodes: { list: NODES } };

export const NodesPage = () => <ListPage texts="nodes" tabs={TABS} />;
