import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import {
  revokeOauthStates,
  revokeOauthTokens,
  revokeVerificationTokens,
  tokenJobs,
} from '@/lib/tokens/commands';
import { listOauthStates, listOauthTokens, listVerificationTokens } from '@/lib/tokens/reads';
import { tokenContracts } from '@/lib/tokens/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(tokenContracts.oauthList, listOauthTokens),
    commandRoute(revokeOauthTokens),
    readRoute(tokenContracts.verificationList, listVerificationTokens),
    commandRoute(revokeVerificationTokens),
    readRoute(tokenContracts.stateList, listOauthStates),
    commandRoute(revokeOauthStates),
  ],
  jobs: [...tokenJobs],
};
