import 'server-only';
import { backUpNow, backUpVariables } from '@/lib/env/backup';
import {
  createVariableCommand,
  deleteVariableCommand,
  renameVariableCommand,
  setVariableCommand,
} from '@/lib/env/commands';
import { variableHistory } from '@/lib/env/history';
import { importVariablesCommand } from '@/lib/env/import';
import { exportVariablesCommand, revealVariable } from '@/lib/env/plaintext';
import { listVariables } from '@/lib/env/reads';
import { restoreVariablesCommand } from '@/lib/env/restore';
import { envContracts } from '@/lib/env/schema';
import { listBackups } from '@/lib/env/stored-backups';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
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
    commandRoute(backUpNow),
    commandRoute(restoreVariablesCommand),
  ],
};
