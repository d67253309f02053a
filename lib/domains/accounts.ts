import 'server-only';
import {
  changePassword,
  createConsoleUser,
  createToken,
  revokeToken,
  signOutEverywhere,
  updateConsoleUser,
} from '@/lib/accounts/commands';
import { setUp } from '@/lib/accounts/first-admin';
import { readAccount, readApiTokens, readUsers } from '@/lib/accounts/reads';
import { accountContracts, apiTokenContracts, userContracts } from '@/lib/accounts/schema';
import { commandRoute, publicRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const accounts: Domain = {
  routes: [
    readRoute(userContracts.list, readUsers),
    commandRoute(createConsoleUser),
    commandRoute(updateConsoleUser),
    readRoute(apiTokenContracts.list, readApiTokens),
    commandRoute(createToken),
    commandRoute(revokeToken),
    readRoute(accountContracts.get, readAccount),
    commandRoute(changePassword),
    commandRoute(signOutEverywhere),
    publicRoute(accountContracts.setup, setUp),
  ],
};
