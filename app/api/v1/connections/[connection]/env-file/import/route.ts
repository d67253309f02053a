import { importVariablesCommand } from '@/lib/env-vars/import';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(importVariablesCommand);
