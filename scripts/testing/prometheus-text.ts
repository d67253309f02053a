const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"/y;

interface TextSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const UNESCAPED: Record<string, string> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

const labelsOf = (text: string, line: string): Record<string, string> => {
  const labels: Record<string, string> = {};
  let at = 0;
  while (at < text.length) {
    LABEL.lastIndex = at;
    const match = LABEL.exec(text);
    if (!match || match[1]! in labels) throw new Error(`not labels: ${line}`);
    labels[match[1]!] = match[2]!.replace(/\\[n"\\]/g, (escaped) => UNESCAPED[escaped]!);
    at = LABEL.lastIndex;
    if (at < text.length && text[at++] !== ',') throw new Error(`not labels: ${line}`);
  }
  return labels;
};

/** Parses Prometheus' text format 0.0.4, and throws if an answer violates it. */
export const parsePrometheus = (text: string): TextSample[] => {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.');
  const types = new Map<string, string>();
  const seen = new Set<string>();
  let current = '';
  return text.split('\n').flatMap((line): TextSample[] => {
    if (line === '') return [];
    const [mark, keyword, name = ''] = line.split(' ');
    if (mark === '#') {
      if (!NAME.test(name) || !['HELP', 'TYPE'].includes(keyword!)) throw new Error(`not a comment: ${line}`);
      if (keyword === 'TYPE' && types.has(name)) throw new Error(`a second time: ${line}`);
      if (keyword === 'TYPE') types.set(name, line.split(' ')[3]!);
      current = name;
      return [];
    }
    const sample = SAMPLE.exec(line);
    if (!sample) throw new Error(`not a sample: ${line}`);
    const [, sampleName = '', labelText = '', value] = sample;
    const family =
      types.get(current) === 'histogram' ? sampleName.replace(/_(bucket|sum|count)$/, '') : sampleName;
    if (family !== current || !types.has(family)) throw new Error(`not below its own type: ${line}`);
    const labels = labelsOf(labelText, line);
    const series = `${sampleName}${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(series)) throw new Error(`a second time: ${line}`);
    seen.add(series);
    const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
    if (Number.isNaN(number) && value !== 'Nan' && value !== 'NaN') throw new Error(`not a number: ${line}`);
    return [{ name: sampleName, labels, value: number }];
  });
};
