import { readFileSync } from 'node:fs';
import type { PrivateConsole } from '../testing/private-console';

const memoryOfProcess = (pid: number, figure: string): number =>
  Number(new RegExp(`${figure}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

/** The memory of all serving processes, MB: currently resident (`VmRSS`), or the sum of peaks (`VmHWM`). Linux only. */
export const memoryOf = async (own: PrivateConsole, figure: 'VmRSS' | 'VmHWM'): Promise<number> =>
  (await own.processes()).reduce((sum, pid) => sum + memoryOfProcess(pid, figure), 0);
