import { commandRoute } from '@/lib/http/routes';
import { setKeyTtl } from '@/lib/keys/commands/ttl';

export const POST = commandRoute(setKeyTtl);
