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

export const isOfScale = (word: string): boolean =>
  scales.some((scale) => scale.some((step) => step.includes(word)));

/** Whether what has the one word may have the other too. */
export const mayInclude = (own: string, asked: string): boolean => including.get(own)?.has(asked) === true;

/** Whether both are words of a scale of which only one can hold. */
export function excludes(own: string, asked: string): boolean {
  return (
    !mayInclude(own, asked) &&
    scales.some((scale) => {
      const [a, b] = [own, asked].map((word) => scale.findIndex((step) => step.includes(word)));
      return a !== undefined && b !== undefined && a >= 0 && b >= 0 && a !== b;
    })
  );
}
