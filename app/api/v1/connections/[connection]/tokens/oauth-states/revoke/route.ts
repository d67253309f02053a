import { commandRoute } from '@/lib/http/routes';
import { revokeOauthStates } from '@/lib/sessions/tokens/commands';

export const POST = commandRoute(revokeOauthStates);
