import type { ConventionsReport, RuleReport, Severity, Violation } from '@/lib/conventions/schema';
import { countText, moreThanSample, openSample } from './conventions-levels';

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

/** A key is named as the console shows it, with its secrets masked. */
const locationOf = ({ key, family }: Violation) => ({
  logicalLocations: [
    { name: key, fullyQualifiedName: family ? `${family}/${key}` : key, kind: 'resource' },
    ...(family ? [{ name: family, fullyQualifiedName: family, kind: 'namespace' }] : []),
  ],
});

const resultsOf = (rule: RuleReport, ruleIndex: number) => {
  const same = { ruleId: rule.id, ruleIndex, level: LEVELS[rule.severity] };
  const each = openSample(rule).map((violation) => ({
    ...same,
    message: { text: `${violation.key}: ${violation.detail}` },
    locations: [locationOf(violation)],
  }));
  const more = moreThanSample(rule);
  if (more === 0) return each;
  const text = each.length === 0 ? `${rule.title}: ${countText(rule)}` : `${rule.title}: ${more} more`;
  const families = rule.families.filter(({ family, waived }) => family !== null && !waived);
  const logicalLocations = families.map(({ family }) => ({
    ...{ name: family!, fullyQualifiedName: family!, kind: 'namespace' },
  }));
  const locations = logicalLocations.length > 0 ? [{ logicalLocations }] : [];
  return [...each, { ...same, message: { text }, locations, occurrenceCount: more }];
};

/** The report as a log of SARIF 2.1.0: a result for each key of a sample, and one for the keys beyond it. */
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
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'Keyward', rules: rules.map(ruleOf), notifications: [{ id: 'unknown' }] },
        },
        invocations: [
          {
            executionSuccessful: true,
            ...(at ? { endTimeUtc: at } : {}),
            toolExecutionNotifications: notes,
          },
        ],
        results: rules.flatMap((rule, i) => (rule.state === 'failed' ? resultsOf(rule, i) : [])),
        properties: { score, keys, complete },
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
};
