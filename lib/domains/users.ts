import 'server-only';
import { commandRoute, publicRoute, readRoute } from '@/lib/http/routes';
import {
  changePassword,
  createConsoleUser,
  createToken,
  revokeToken,
  setPreferences,
  signOutEverywhere,
  updateConsoleUser,
} from '@/lib/users/commands';
import { setUp } from '@/lib/users/first-admin';
import { acceptLink, readInvitation } from '@/lib/users/invitations/accept';
import { createUserLink, inviteUser, withdrawInvitation } from '@/lib/users/invitations/commands';
import { linkContracts } from '@/lib/users/invitations/schema';
import { readAccount, readApiTokens, readUsers } from '@/lib/users/reads';
import { accountContracts, apiTokenContracts, userContracts } from '@/lib/users/schema';
import {
  addPasskey,
  confirmApp,
  createRecoveryCodes,
  removeSecondFactor,
  resetSecondFactor,
  stepUp,
} from '@/lib/users/second-factor/commands';
import { beginApp, beginPasskey, beginStepUp, readSecondFactor } from '@/lib/users/second-factor/reads';
import { secondFactorContracts } from '@/lib/users/second-factor/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(userContracts.list, readUsers),
    commandRoute(createConsoleUser),
    commandRoute(updateConsoleUser),
    readRoute(apiTokenContracts.list, readApiTokens),
    commandRoute(createToken),
    commandRoute(revokeToken),
    readRoute(accountContracts.get, readAccount),
    commandRoute(changePassword),
    commandRoute(setPreferences),
    commandRoute(signOutEverywhere),
    publicRoute(accountContracts.setup, setUp),
    readRoute(secondFactorContracts.get, readSecondFactor),
    readRoute(secondFactorContracts.beginApp, beginApp),
    commandRoute(confirmApp),
    readRoute(secondFactorContracts.beginPasskey, beginPasskey),
    commandRoute(addPasskey),
    commandRoute(removeSecondFactor),
    commandRoute(createRecoveryCodes),
    readRoute(secondFactorContracts.beginStepUp, beginStepUp),
    commandRoute(stepUp),
    commandRoute(resetSecondFactor),
    commandRoute(inviteUser),
    commandRoute(createUserLink),
    commandRoute(withdrawInvitation),
    publicRoute(linkContracts.get, readInvitation),
    publicRoute(linkContracts.accept, acceptLink),
  ],
};
