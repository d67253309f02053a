import { backUpVariables } from '@/lib/env-vars/backup';
import { listBackups } from '@/lib/env-vars/stored-backups';
import { envContracts } from '@/lib/env-vars/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(envContracts.backups, listBackups);
export const POST = commandRoute(backUpVariables);
