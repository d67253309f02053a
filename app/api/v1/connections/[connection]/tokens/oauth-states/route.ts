import { readRoute } from '@/lib/http/routes';
import { listOauthStates } from '@/lib/sessions/tokens/reads';
import { tokenContracts } from '@/lib/sessions/tokens/schema';

export const GET = readRoute(tokenContracts.stateList, listOauthStates);
