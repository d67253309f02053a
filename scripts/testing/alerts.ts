import { createAlert } from '@/lib/alerts/commands';
import { deliverDue } from '@/lib/alerts/deliver';
import { evaluateConnection } from '@/lib/alerts/evaluator';
import { alertHistory } from '@/lib/alerts/history';
import { listAlerts } from '@/lib/alerts/reads';
import type { alertContracts } from '@/lib/alerts/schema';
import type { Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { WireInput } from '@/lib/contract';
import type { Figure, FigureDefinition } from '@/lib/figures/figure';
import { registerFigures } from '@/lib/figures/registry';
import type { Role } from '@/lib/permissions';
import { forget } from '@/scripts/testing/forget';
import { type TestContext, testActor } from './context';

type RuleInput = WireInput<typeof alertContracts.create>;

const define = (name: string, permission: FigureDefinition['permission'], labels: string[]) =>
  ({ name, help: 'A figure of a test.', unit: 'count', labels, permission }) as const;

/** Figures with values set by a test, and the evaluation of alerts on them at given times. */
export const alertsOn = (test: TestContext) => {
  const definitions: FigureDefinition[] = [
    define('keyward_test_load', 'view', []),
    define('keyward_test_of_family', 'view', ['family']),
    define('keyward_guard_test', 'guard:view', ['ip']),
    { ...define('keyward_test_share', 'view', []), unit: 'ratio' },
  ];
  let values: Figure[] = [];
  registerFigures([{ definitions, read: async () => values }]);
  const run = (command: unknown, raw: unknown, role: Role = 'admin') =>
    runCommand(command as Command, {
      actor: testActor(role as 'admin'),
      requestId: 'test',
      connection: test.handle,
      raw,
    }) as Promise<Record<string, string>>;
  const set = (value: number | null) => {
    values = value === null ? [] : [{ name: 'keyward_test_load', labels: {}, value, at: 0 }];
    forget('figures');
  };
  const evaluate = (now: number) => evaluateConnection(test.ctx.store, test.handle, now);
  return {
    run,
    set,
    evaluate,
    setAll: (given: Omit<Figure, 'at'>[]) => {
      values = given.map((figure) => ({ ...figure, at: 0 }));
      forget('figures');
    },
    /** Sets the load, then evaluates. */
    at: async (now: number, value: number | null) => {
      set(value);
      await evaluate(now);
    },
    deliver: (now: number | (() => number)) =>
      deliverDue(test.ctx.store, test.handle.config.id, typeof now === 'number' ? () => now : now),
    create: async (given: Partial<RuleInput> = {}): Promise<string> => {
      const source = { metric: 'keyward_test_load' };
      const created = await run(createAlert, {
        name: 'Load',
        source,
        condition: 'above',
        value: 10,
        ...given,
      });
      return created.id!;
    },
    list: (now: number, role: Role = 'admin') =>
      listAlerts(test.as({ now: () => now, actor: testActor(role as 'admin') }), { limit: 50 }),
    history: async (role: Role = 'admin') =>
      (await alertHistory(test.as({ actor: testActor(role as 'admin') }), { limit: 50 })).items,
    end: () => {
      definitions.splice(0);
      values = [];
      forget('figures');
    },
  };
};
