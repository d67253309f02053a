import { commandRoute } from '@/lib/http/routes';
import { revokeOauthTokens } from '@/lib/sessions/tokens/commands';

export const POST = commandRoute(revokeOauthTokens);
