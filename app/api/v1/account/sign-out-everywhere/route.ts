import { signOutEverywhere } from '@/lib/accounts/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(signOutEverywhere);
