import type { ConventionsReport, RuleReport, Severity, Violation } from '@/lib/conventions/schema';
import { openSample, warningsOf } from './conventions-levels';

const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

const ruleOf = ({ id, title, why, how, remedy, severity, checklist }: RuleReport) => ({
  id,
  name: id.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  shortDescription: { text: title },
  fullDescription: { text: why },
  help: { text: `${how}\n\n${remedy}` },
  defaultConfiguration: { level: LEVELS[severity] },
  properties: { tags: checklist ? ['redis', checklist] : ['redis'] },
});

const namespaceOf = (family: string) => ({ name: family, fullyQualifiedName: family, kind: 'namespace' });

/** A key as the console displays it, with secrets masked. */
const locationOf = ({ key, family }: Violation) => ({
  logicalLocations: [
    { name: key, fullyQualifiedName: family ? `${family}/${key}` : key, kind: 'resource' },
    ...(family ? [namespaceOf(family)] : []),
  ],
});

/** A policy may change a rule's severity per family. */
const resultsOf = (rule: RuleReport, ruleIndex: number) => {
  const same = { ruleId: rule.id, ruleIndex };
  const sample = openSample(rule);
  const families = rule.families.filter(({ waived }) => !waived);
  const results = sample.map((violation) => ({
    ...same,
    level: LEVELS[families.find(({ family }) => family === violation.family)?.severity ?? rule.severity],
    message: { text: `${violation.key}: ${violation.detail}` },
    locations: [locationOf(violation)],
  }));
  const others = families.flatMap(({ family, count, severity }) => {
    const more = count - sample.filter((violation) => violation.family === family).length;
    if (more <= 0) return [];
    const text = `${rule.title}: ${more} more${family ? ` of ${family}` : ''}`;
    const locations = family ? [{ logicalLocations: [namespaceOf(family)] }] : [];
    return [{ ...same, level: LEVELS[severity], message: { text }, locations, occurrenceCount: more }];
  });
  return [...results, ...others];
};

/** The report as a SARIF 2.1.0 log: one result per key of a sample, and one for a family's keys beyond it. */
export const sarifOf = (report: ConventionsReport): string => {
  const { rules, at, score, keys, complete } = report;
  const notes = rules
    .filter(({ state }) => state === 'unknown')
    .map(({ id, reason }) => ({
      descriptor: { id: 'unknown' },
      associatedRule: { id },
      level: 'note',
      message: { text: `${id} cannot be seen from here: ${reason ?? 'for an unknown reason'}` },
    }));
  const warnings = warningsOf(report).map((text) => ({
    descriptor: { id: 'warning' },
    level: 'warning',
    message: { text },
  }));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Keyward',
            rules: rules.map(ruleOf),
            notifications: [{ id: 'unknown' }, { id: 'warning' }],
          },
        },
        invocations: [
          {
            executionSuccessful: true,
            ...(at ? { endTimeUtc: at } : {}),
            toolExecutionNotifications: [...notes, ...warnings],
          },
        ],
        results: rules.flatMap((rule, i) => (rule.state === 'failed' ? resultsOf(rule, i) : [])),
        properties: { score, keys, complete },
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
};
