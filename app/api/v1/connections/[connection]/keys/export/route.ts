import { commandRoute } from '@/lib/http/routes';
import { exportKeysCommand } from '@/lib/keys/commands/file/export';

export const POST = commandRoute(exportKeysCommand);
