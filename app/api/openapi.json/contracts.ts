import { accountContracts, apiTokenContracts, userContracts } from '@/lib/accounts/schema';
import { auditContracts, undoContract } from '@/lib/audit/schema';
import { cacheContracts } from '@/lib/caches/schema';
import type { Contract } from '@/lib/contract';
import { flagContracts } from '@/lib/flags/schema';
import { guardContracts } from '@/lib/guard/schema';
import { metricContracts } from '@/lib/history/schema';
import { healthContracts, insightContracts } from '@/lib/insights/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { sessionContracts } from '@/lib/sessions/schema';
import { tokenContracts } from '@/lib/sessions/tokens/schema';

/** Every operation there is: what /api/openapi.json lists. */
export const allContracts: readonly Contract[] = [
  healthContracts,
  insightContracts,
  metricContracts,
  sessionContracts,
  tokenContracts,
  flagContracts,
  guardContracts,
  cacheContracts,
  jobContracts,
  auditContracts,
  { undo: undoContract },
  userContracts,
  apiTokenContracts,
  accountContracts,
].flatMap((group) => Object.values(group) as Contract[]);
