import { handleNextAuth } from '@/lib/access/next-auth-handler';
import { guarded } from '@/lib/http/routes';

const handler = guarded(null, (request, params, requestId) =>
  handleNextAuth(request, [params.nextauth ?? []].flat(), requestId),
);

export { handler as GET, handler as POST };
