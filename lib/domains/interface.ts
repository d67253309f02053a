import 'server-only';
import { env } from '@/lib/env';
import { documentRoute } from '@/lib/http/conditional';
import { dispatcher } from '@/lib/http/dispatch';
import { openApi } from '@/lib/http/openapi';
import { allContracts, allRoutes } from './all';

const description = documentRoute(() => openApi(allContracts, env().basePath));

/** Answers every request under /api but those of next-auth. */
export const handleRequest = dispatcher([
  ...allRoutes.map((route) => ({ method: route.contract.method, path: route.contract.path, handler: route })),
  { method: 'GET', path: '/api/openapi.json', handler: description },
]);
