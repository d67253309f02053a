import { readRoute } from '@/lib/http/routes';
import { listVerificationTokens } from '@/lib/sessions/tokens/reads';
import { tokenContracts } from '@/lib/sessions/tokens/schema';

export const GET = readRoute(tokenContracts.verificationList, listVerificationTokens);
