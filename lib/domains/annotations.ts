import 'server-only';
import { createAnnotation } from '@/lib/annotations/commands';
import { commandRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [commandRoute(createAnnotation)],
};
