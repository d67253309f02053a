import { deleteMessageCommand } from '@/lib/entities/conversation/deletion/delete-message';
import { commandRoute } from '@/lib/http/routes';

export const POST = commandRoute(deleteMessageCommand);
