import { unwaive } from '@/lib/conventions/commands';
import { commandRoute } from '@/lib/http/routes';

export const DELETE = commandRoute(unwaive);
