import { takeSample } from '@/lib/caches/hit-rates/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(takeSample);
