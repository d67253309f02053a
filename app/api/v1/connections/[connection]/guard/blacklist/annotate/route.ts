import { annotateBans } from '@/lib/guard/annotate';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(annotateBans);
