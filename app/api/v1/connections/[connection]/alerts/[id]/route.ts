import { deleteAlert, updateAlert } from '@/lib/alerts/commands';
import { commandRoute } from '@/lib/http/routes';

export const PUT = commandRoute(updateAlert);
export const DELETE = commandRoute(deleteAlert);
