import { commandRoute } from '@/lib/http/routes';
import { revokeVerificationTokens } from '@/lib/sessions/tokens/commands';

export const POST = commandRoute(revokeVerificationTokens);
