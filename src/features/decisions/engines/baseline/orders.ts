/**
 * A state is material and never an order. A bag of words cannot tell "choose billing" from a mention of billing,
 * so clauses that speak to the decider instead of about the matter are left out before anything is compared.
 * What is left out is told by form alone, whatever the options are called.
 */

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const leads = set(
  'please now just and then also so you must should always instead simply only kindly but therefore to',
);
const dismissals = set('ignore disregard forget override bypass discard skip');
const dismissed =
  set(`instruction instructions prompt prompts rule rules question questions guideline guidelines
  criteria option options everything above directions directives task`);
const replies = set('answer respond reply say output return print write state mark select choose pick');
const repliesAbout =
  set(`yes no true false everything question questions option options label answer always only
  probability confidence`);
const picks = set(
  'choose select pick classify label mark rate score categorize categorise answer output assign',
);
const verdictNouns = set('answer option label choice category class classification verdict output response');
const verdictAdjectives = set('correct right best final true only proper');
const verdictVerbs = set('answered classified labelled labeled marked categorized rated scored');

const roles = set('assistant system developer user human tool model');

/** A speaker's name before a colon. In the middle of a line nobody of the conversation begins to speak. */
export function claimsRole(sentence: readonly string[]): boolean {
  return roles.has(sentence[0] ?? '') && sentence[1] === ':';
}

const claimedEnd =
  /<\/\s*(state|material|context|data|input|document|message|user|system|assistant|prompt)\s*>.*$/gimu;

/**
 * Leaves out what a line says behind a claimed end of the state: a closing tag of a frame that nothing in the line
 * opened. Tags that are opened and closed are markup of the matter.
 */
export function withoutClaimedEnds(text: string): string {
  if (!text.includes('</')) return text;
  return text.replaceAll(claimedEnd, (match, name: string, offset: number) => {
    const lineStart = text.lastIndexOf('\n', offset) + 1;
    const before = text.slice(lineStart, offset).toLowerCase();
    return before.includes(`<${name.toLowerCase()}`) ? match : '';
  });
}

/** `order`: speaks to the decider. `pick`: would be one beside other text. `none`: material. */
export type ClauseKind = 'order' | 'pick' | 'none';

/** Classifies one clause by its tokens, as `tokenize` writes them. */
export function clauseKind(tokens: readonly string[]): ClauseKind {
  let start = 0;
  while (start < tokens.length - 1 && leads.has(tokens[start] ?? '')) start++;
  const verb = tokens[start] ?? '';
  const rest = tokens.slice(start + 1, start + 24);
  if (dismissals.has(verb) && rest.some((t) => dismissed.has(t))) return 'order';
  if (replies.has(verb) && rest.some((t) => repliesAbout.has(t))) return 'order';
  const head = tokens.slice(0, 24);
  if (head.some((t, i) => verdictNouns.has(t) && verdictAdjectives.has(head[i - 1] ?? ''))) return 'order';
  if (
    head.some((t, i) => verdictVerbs.has(t) && head.slice(0, i).some((u) => u === 'must' || u === 'should'))
  ) {
    return 'order';
  }
  return picks.has(verb) && tokens.length - start <= 6 ? 'pick' : 'none';
}
