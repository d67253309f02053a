import { commandRoute } from '@/lib/http/routes';
import { importKeysCommand } from '@/lib/keys/commands/file/import';

export const POST = commandRoute(importKeysCommand);
