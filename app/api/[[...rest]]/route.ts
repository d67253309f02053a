import { notFound } from '@/lib/errors';
import { declareRoute } from '@/lib/http/routes';

const nothing = declareRoute(null, async () => {
  throw notFound('This operation');
});

export { nothing as DELETE, nothing as GET, nothing as PATCH, nothing as POST, nothing as PUT };
