import 'server-only';
import { approveRequest } from '@/lib/approvals/approve';
import { declineRequest, withdrawRequest } from '@/lib/approvals/close';
import { getApproval, listApprovals } from '@/lib/approvals/reads';
import { requestApproval } from '@/lib/approvals/request';
import { approvalContracts } from '@/lib/approvals/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(approvalContracts.list, listApprovals),
    readRoute(approvalContracts.get, getApproval),
    commandRoute(requestApproval),
    commandRoute(approveRequest),
    commandRoute(declineRequest),
    commandRoute(withdrawRequest),
  ],
};
