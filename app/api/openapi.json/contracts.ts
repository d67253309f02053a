import { accountContracts, apiTokenContracts, userContracts } from '@/lib/accounts/schema';
import { auditContracts, undoContract } from '@/lib/audit/schema';
import { hitRateGroup } from '@/lib/caches/hit-rates/schema';
import { cacheContracts } from '@/lib/caches/schema';
import type { Contract } from '@/lib/contract';
import { envContracts } from '@/lib/env-vars/schema';
import { ofrepContracts } from '@/lib/flags/ofrep/schema';
import { flagContracts } from '@/lib/flags/schema';
import { guardContracts } from '@/lib/guard/schema';
import { trafficContracts } from '@/lib/guard/traffic/schema';
import { metricContracts } from '@/lib/history/schema';
import { healthContracts, insightContracts } from '@/lib/insights/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { rateLimitContracts } from '@/lib/rate-limits/schema';
import { personContracts } from '@/lib/sessions/person/schema';
import { repairContracts } from '@/lib/sessions/repair/schema';
import { revocationContracts } from '@/lib/sessions/revocation/schema';
import { sessionContracts } from '@/lib/sessions/schema';
import { tokenContracts } from '@/lib/sessions/tokens/schema';

/** Every operation there is: what /api/openapi.json lists. */
export const allContracts: readonly Contract[] = [
  healthContracts,
  insightContracts,
  metricContracts,
  sessionContracts,
  personContracts,
  revocationContracts,
  repairContracts,
  tokenContracts,
  envContracts,
  flagContracts,
  ofrepContracts,
  guardContracts,
  rateLimitContracts,
  trafficContracts,
  cacheContracts,
  hitRateGroup,
  jobContracts,
  auditContracts,
  { undo: undoContract },
  userContracts,
  apiTokenContracts,
  accountContracts,
].flatMap((group) => Object.values(group) as Contract[]);
