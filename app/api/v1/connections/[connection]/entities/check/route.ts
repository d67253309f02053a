import { checkEntities } from '@/lib/entities/check-command';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(checkEntities);
