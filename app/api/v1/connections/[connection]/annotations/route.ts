import { createAnnotation } from '@/lib/annotations/commands';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(createAnnotation);
