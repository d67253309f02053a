// One word for one thing, the field's own: words that are not used here, with the right ones.
// `node scripts/vocabulary.mjs lib/audit messages` checks some folders, `npm run rules` all of them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Everywhere, in names, comments, texts and documents: [pattern of a word not to use, the right word]. To add one,
 * add a line here and an example to vocabulary.test.ts.
 */
const WORDS = [
  [/\b(?:MOST|LONGEST|LEAST|SOONEST|SHORTEST)(?:_[A-Z]|\b)/, 'MAX_…, MIN_…, EARLIEST_…'],
  [/\bPATIEN(?:CE|T)(?:_|\b)/, 'TIMEOUT_MS'],
  [/\b(?:[A-Z]+_)?A_CALL\b|\b[A-Z_]+_AT_MOST\b|\b[A-Z]+_A_GO\b|_A_DAY\b/, '…_PER_CALL, PAGE_SIZE, MAX_…'],
  [/\b(?<!EAI_)AGAIN_[A-Z]/, 'RETRY_AFTER_MS'],
  [/\bAT_ONCE\b/, 'BATCH_SIZE'],
  [/\balone\(|\bconst (?:alone|once|oneAtATime) = (?:async )?[<(]/, 'withLease, SingleFlight'],
  [/\bin turns?\b|\binTurns?\b/, 'one after the other; lease, interleaved'],
  [/\bsigns? of life\b/i, 'heartbeat'],
  [/\bfore(?:see|seen|saw|sees|seeing)\b/i, 'preview, expect'],
  [/\bcarr(?:y|ies|ied|ying) (?:(?:it|them|this|that) )?out\b|carryOut|carriedOut/i, 'execute, apply, run'],
  [/\bprove(?=[A-Z(])/, 'verify'],
  [/\bt(?:ake|akes|aken|aking|ook) (?:(?:it|them|this|that|what|one) )?back\b|takeBack|takenBack/i, 'undo'],
  [/\bput(?:s|ting)? (?:(?:it|them|this|that) )?back\b|putBack|put_back/i, 'restore'],
  [/\bmend(?:s|ed|ing)?\b/i, 'repair, fix'],
  [/\bconclud(?:e|es|ed|ing)\b/i, 'complete'],
  [/(?<![\w’'"`])note\(/, 'record, complete'],
  [/\bat hand\b|atHand/, 'resolved'],
  [/\b[Tt]wins?(?:Of)?\b|Twins?(?:[A-Z]|\b)/, 'duplicate, alias'],
  [/\bstrands?\b/i, 'cursor, branch'],
  [/aftermath|look-?back\b|\b(?<!of )courses?\b/i, 'recovery'],
  [/\bdebts?\b/i, 'carry-over'],
  [/tall(?:y|ies|ied)\b|Tally/i, 'counts'],
  [/\bnobod(?:y['’]s|ys)\b/i, 'unowned'],
  [/\bwhat is none\b|\bno family['’]s\b/i, 'unknown, none, unclassified'],
  [/\bwish(?:es|ed)?\b/i, 'scheduled change, request'],
  [/\bto come\b(?! (?:back|from|through))/i, 'scheduled, later'],
  [/\bstanding\b/i, 'status'],
  [/\bquietly\b/i, 'untracked, silently'],
  [/\.during\(|\bduring<T>/, 'trackOwnTraffic'],
  [/\btold\b/i, 'reported, shown, distinguished'],
  [/\bsaid\b/i, 'reported, the default'],
  [/\banew\b/i, 'again'],
  [/\bbesides\b/i, 'background, also'],
  [/(?<!(?:[Tt]wo|[Tt]hree|[Ss]econd)[ -])\bpersons?\b(?!-)/i, 'user'],
];

/** In messages/ only: texts that users read. */
const TEXTS = [
  [
    /(?<![\w:*-]|IP |every )blacklist(?!edIps\b)/i,
    'ban; only the set of the error collector is called blacklist',
  ],
  [
    /what this redis is doing|\b(?:what )?wants (?:your eye|attention)|needs a look/i,
    'Live status, Needs attention, Needs review',
  ],
  [
    /\bsay what it does\b|plan a change|\bplan of \{|take out of the plan/i,
    'Add description, Scheduled, Schedule change, Cancel scheduled change',
  ],
  [
    /can be taken back|the offer ends|is being put back|says what became of/i,
    'Undo, Undo available for …, Undo is running',
  ],
  [
    /seen unchanged|not through this console|no switch\b/i,
    'First seen … ago, unchanged; Changed outside Keyward; Not a boolean',
  ],
  [
    /switched on, who switched|counts for everybody|next reading\b|the way the value is written/i,
    'Which features are on; Applies to everyone; The stored format is kept',
  ],
  [/in your name|somebody of/i, 'under your name, a … team member'],
  [/": "own"|period before is not known/i, 'Custom, no data for the previous period'],
  [
    /present password|new password, again|this one goes on|the same once more/i,
    'Current password, Confirm new password, this session stays signed in, Repeat passphrase',
  ],
  [
    /\bas the system\b|skip to the page|your role does not see|there is no such/i,
    'System; Skip to content; You don’t have access to …; … not found',
  ],
  [/redis is gone|you see the values/i, 'Redis is unreachable; showing data from …'],
  [
    /error collector turns away|who sends how much|new heavy first/i,
    'Banned addresses, …; Newest heavy senders first',
  ],
  [/in force within|lifted by itself|it is no address/i, 'Takes effect within; Expires; Not an IP address'],
  [
    /state filters the list|releases do not count|what if the limit|window that is over|known are/i,
    'Select … to filter; Releases aren’t counted; Test a different limit; Replace with an expired window; … loaded',
  ],
  [
    /by the look of|start from it|is there and not shown|value that is no secret/i,
    'detected from value; Load current value; is hidden; non-secret value',
  ],
  [/kept: in|restored: (?:\d|\{)/i, 'Expires in, … restored'],
  [
    /misses are followed|when answers come later|ends at once\b|built anew|memory a key/i,
    'Tracking misses; stops immediately if latency rises; rebuilt; Memory per key',
  ],
  [
    /entries are chained|the chain holds|what was done about|long work/i,
    'Tamper-evident log; Chain verified; Actions on this user; Background jobs',
  ],
  [/hand it over yourself|make one\b/i, 'Share it securely; Generate'],
  [/\bstop(?:s|ped|ping)? (?:the |this |a )?jobs?\b/i, 'cancel'],
];

const SELF = /^scripts\/vocabulary\.(?:mjs|test\.ts)$/;
const READ = /\.(?:ts|tsx|mts|mjs|js|lua|css|md|json|yml|example)$/;
const NOT_READ = /^(?:package-lock\.json|public\/|\.next\/)/;

const filesOf = (root, folders) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...folders], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => !SELF.test(file) && READ.test(file) && !NOT_READ.test(file));

/** Problems in one file's text, as `{ line, message }`. */
export const vocabularyProblems = (file, text) => {
  const rules = file.startsWith('messages/') ? [...WORDS, ...TEXTS] : WORDS;
  return text.split('\n').flatMap((line, index) =>
    rules.flatMap(([pattern, say]) => {
      const match = line.match(pattern);
      return match ? [{ line: index + 1, message: `use another word than "${match[0]}": ${say}` }] : [];
    }),
  );
};

/** All problems below `folders` of a checkout, as `{ file, line, message }`. */
export const checkVocabulary = (root, folders = []) =>
  filesOf(root, folders).flatMap((file) =>
    vocabularyProblems(file, readFileSync(join(root, file), 'utf8')).map((problem) => ({ file, ...problem })),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = checkVocabulary(process.cwd(), process.argv.slice(2));
  for (const { file, line, message } of problems) console.log(`${file}:${line}: ${message}`);
  console.log(`Vocabulary: ${problems.length} words to replace.`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
