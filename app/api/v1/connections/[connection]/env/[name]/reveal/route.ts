import { revealVariable } from '@/lib/env-vars/shown';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(revealVariable);
