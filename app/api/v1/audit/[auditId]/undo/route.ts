import { commandRoute } from '@/lib/http/routes';
import { undoChange } from '@/lib/undo/commands';

export const POST = commandRoute(undoChange);
