import { handleNextAuth } from '@/lib/access/next-auth-handler';
import { declareRoute } from '@/lib/http/routes';

const handler = declareRoute(null, (request, params, requestId) =>
  handleNextAuth(request, [params.nextauth ?? []].flat(), requestId),
);

export { handler as GET, handler as POST };
