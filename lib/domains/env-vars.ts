import 'server-only';
import { backUpVariables } from '@/lib/env-vars/backup';
import {
  createVariableCommand,
  deleteVariableCommand,
  renameVariableCommand,
  setVariableCommand,
} from '@/lib/env-vars/commands';
import { variableHistory } from '@/lib/env-vars/history';
import { importVariablesCommand } from '@/lib/env-vars/import';
import { exportVariablesCommand, revealVariable } from '@/lib/env-vars/plaintext';
import { listVariables } from '@/lib/env-vars/reads';
import { restoreVariablesCommand } from '@/lib/env-vars/restore';
import { envContracts } from '@/lib/env-vars/schema';
import { listBackups } from '@/lib/env-vars/stored-backups';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const envVars: Domain = {
  routes: [
    readRoute(envContracts.list, listVariables),
    commandRoute(revealVariable),
    commandRoute(setVariableCommand),
    commandRoute(createVariableCommand),
    commandRoute(renameVariableCommand),
    commandRoute(deleteVariableCommand),
    readRoute(envContracts.history, variableHistory),
    commandRoute(importVariablesCommand),
    commandRoute(exportVariablesCommand),
    commandRoute(backUpVariables),
    readRoute(envContracts.backups, listBackups),
    commandRoute(restoreVariablesCommand),
  ],
};
