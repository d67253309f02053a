import { revealVariable } from '@/lib/env-vars/plaintext';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(revealVariable);
