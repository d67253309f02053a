import { readRoute } from '@/lib/http/routes';
import { listOauthTokens } from '@/lib/sessions/tokens/reads';
import { tokenContracts } from '@/lib/sessions/tokens/schema';

export const GET = readRoute(tokenContracts.oauthList, listOauthTokens);
