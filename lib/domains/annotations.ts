import 'server-only';
import { createAnnotation } from '@/lib/annotations/commands';
import { commandRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const annotations: Domain = {
  routes: [commandRoute(createAnnotation)],
};
