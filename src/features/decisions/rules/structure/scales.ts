import { plain } from './words.ts';

/** Scales whose words exclude each other; words between commas mean nearly the same. */
const scales = [
  'pending,queued,waiting|processing,in progress,running|shipped,sent,in transit,out for delivery|delivered|cancelled,canceled|failed|returned|refunded',
  'open,new|closed,resolved,done,completed,complete,finished|in progress,pending',
  'active,enabled,on,online|inactive,disabled,off,offline|suspended,blocked|expired',
  'paid|unpaid,due,overdue',
  'approved,accepted,granted|rejected,declined,denied,refused|pending',
  'draft|published|archived',
  'free|basic,starter|standard|pro,professional|plus|premium|business|team|enterprise|trial',
  'bronze|silver|gold|platinum',
  'low|medium,normal|high|critical',
  'admin,administrator|owner|member|guest|editor|viewer',
  'passed,pass,succeeded,succeed,successful,success|failed,fail,unsuccessful,failure|skipped,skip',
  'running,started,up|stopped,halted,down,idle,paused|crashed',
  'locked|unlocked',
  'connected|disconnected',
  'won,win|lost,lose|drawn,draw',
  'public|private|internal',
  'production,prod|staging|development,dev|testing,test',
  'monthly|yearly,annual,annually|weekly|daily|quarterly',
  'married|single|divorced|widowed',
  'full time|part time',
  'small|medium|large',
  'positive|negative|neutral',
  'inbound,incoming|outbound,outgoing',
  'manual|automatic',
  'healthy|unhealthy|degraded',
  'monday|tuesday|wednesday|thursday|friday|saturday|sunday',
  'red|green|blue|yellow|black|white|orange|purple|brown|grey,gray|pink',
].map((scale) => scale.split('|').map((step) => step.split(',').map(plain)));

/** What is at the one may be at the other as well: what was delivered has been shipped. */
const including: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    'delivered:shipped,sent',
    'returned:shipped,sent,delivered',
    'refunded:shipped,sent,delivered,returned,cancelled,canceled',
    'failed:shipped,sent,processing',
    'in progress:open',
    'processing:pending',
    'critical:high',
    'owner:admin,administrator,member,editor,viewer',
    'admin:member,editor,viewer',
    'editor:viewer',
  ].map((line) => {
    const [own = '', others = ''] = line.split(':');
    return [plain(own), new Set(others.split(',').map(plain))] as const;
  }),
);

/** Words that are another form of each other, or say the same of any thing. */
const same = [
  'cancelled canceled',
  'passed pass succeeded succeed successful success',
  'failed fail failure unsuccessful',
  'stopped halted',
  'won win',
  'lost lose',
  'production prod',
  'development dev',
  'yearly annual annually',
  'inbound incoming',
  'outbound outgoing',
  'grey gray',
  'admin administrator',
].map((words) => new Set(words.split(' ')));

/** Whether two words for a state are the same. */
export const isSame = (own: string, asked: string): boolean =>
  own === asked || same.some((words) => words.has(own) && words.has(asked));

const affirming = new Set(
  'true yes on ok enabled granted allowed accepted active done complete completed finished met checked given'.split(
    ' ',
  ),
);
const denying = new Set(['false', 'no', 'off', 'disabled', 'denied', 'refused', 'inactive', 'missing']);

/** Whether what is kept as true is asked for by a word: "granted", "done". */
export const saysYes = (asked: string): boolean => affirming.has(asked) || isSame(asked, 'passed');
export const isDenying = (asked: string): boolean => denying.has(asked) || isSame(asked, 'failed');

const opposites = new Set(
  `active/disabled enabled/disabled open/closed locked/unlocked online/offline public/private on/off passed/failed
  successful/failed visible/hidden present/absent full/empty alive/dead won/lost`.split(/\s+/),
);

/** Whether of two words the one holds where the other does not. */
export function areOpposites(a: string, b: string): boolean {
  if (opposites.has(`${a}/${b}`) || opposites.has(`${b}/${a}`)) return true;
  const [short = '', long = ''] = [a, b].toSorted((one, other) => one.length - other.length);
  return short.length >= 4 && /^(?:un|in|dis|non)(.+)$/.exec(long)?.[1] === short;
}

export const isOfScale = (word: string): boolean =>
  scales.some((scale) => scale.some((step) => step.includes(word)));

/** Whether what has the one word may have the other too. */
export const mayInclude = (own: string, asked: string): boolean => including.get(own)?.has(asked) === true;

/** Whether both are words of a scale of which only one can hold. */
export function excludes(own: string, asked: string): boolean {
  return (
    !mayInclude(own, asked) &&
    (areOpposites(own, asked) ||
      scales.some((scale) => {
        const [a, b] = [own, asked].map((word) => scale.findIndex((step) => step.includes(word)));
        return a !== undefined && b !== undefined && a >= 0 && b >= 0 && a !== b;
      }))
  );
}
