import 'server-only';
import { handleBackchannelLogout } from '@/lib/access/backchannel-logout';
import { handleNextAuth } from '@/lib/access/next-auth-handler';
import { env } from '@/lib/configuration';
import { documentRoute } from '@/lib/http/conditional';
import { dispatcher, type Place } from '@/lib/http/dispatch';
import { openApi } from '@/lib/http/openapi';
import { declareRoute } from '@/lib/http/routes';
import { catalogSchema } from '@/lib/keyspace/own/definition';
import { store } from '@/lib/redis/store';
import { allContracts, allRoutes } from './all';

const nextAuth = declareRoute(null, (request, { action, provider }, requestId) => {
  const refusal = store().refusal();
  // Signing out would end the session in this process only.
  if (refusal && request.method === 'POST') throw refusal;
  return handleNextAuth(request, provider === undefined ? [action!] : [action!, provider], requestId);
});

const backchannelLogout = declareRoute(null, (request, _params, requestId) =>
  handleBackchannelLogout(request, requestId),
);

const document = (path: string, handler: Place['handler']): Place => ({ method: 'GET', path, handler });

/** Answers every request that is not for a page. */
export const handleRequest = dispatcher([
  ...allRoutes.map((route) => ({ method: route.contract.method, path: route.contract.path, handler: route })),
  ...['/api/auth/{action}', '/api/auth/{action}/{provider}'].flatMap((path) =>
    ['GET', 'POST'].map((method) => ({ method, path, handler: nextAuth })),
  ),
  { method: 'POST', path: '/api/auth/backchannel-logout', handler: backchannelLogout },
  document(
    '/api/openapi.json',
    documentRoute(() => openApi(allContracts, env().basePath)),
  ),
  document('/catalog.schema.json', documentRoute(catalogSchema)),
]);
