import { notFound } from '@/lib/errors';
import { guarded } from '@/lib/http/routes';

const nothing = guarded(null, async () => {
  throw notFound('This operation');
});

export { nothing as DELETE, nothing as GET, nothing as PATCH, nothing as POST, nothing as PUT };
