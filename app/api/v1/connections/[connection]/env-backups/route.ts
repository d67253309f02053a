import { backUpVariables } from '@/lib/env-vars/backup';
import { envContracts } from '@/lib/env-vars/schema';
import { listBackups } from '@/lib/env-vars/stored-backups';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(envContracts.backups, listBackups);
export const POST = commandRoute(backUpVariables);
