/**
 * Instructions inside a state are data and must not steer the answer. A bag of words cannot distinguish "choose
 * billing" from a mention of billing, so clauses that address the decider are left out before words are compared.
 * They are recognised by their form alone, whatever the options are called.
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

const verdictDeterminers = set('the this that it my your our');
const roles = set(`assistant system developer user human tool model
  answer label verdict classification`);

/** What a clause that addresses the decider may begin with. Verbs that are names as well ("Mark") are left out. */
const openers: ReadonlySet<string> = new Set([
  ...leads,
  ...dismissals,
  ...verdictDeterminers,
  ...verdictAdjectives,
  ...roles,
  'respond',
  'reply',
]);

/** Whether a word could open a clause that addresses the decider. */
export const mayOpenOrder = (word: string): boolean => openers.has(word.toLowerCase());

/** Whether a sentence begins with a role, or the name of an answer, and a colon. Inside a line that is no new turn of the conversation. */
export function claimsRole(sentence: readonly string[]): boolean {
  return roles.has(sentence[0] ?? '') && sentence[1] === ':';
}

/** `instruction`: addresses the decider. `pick`: does so if there is other text. `none`: content. */
export type ClauseKind = 'instruction' | 'pick' | 'none';

/** Classifies one clause by its tokens, as `tokenize` writes them. */
export function clauseKind(tokens: readonly string[]): ClauseKind {
  let start = 0;
  while (start < tokens.length - 1 && leads.has(tokens[start] ?? '')) start++;
  const verb = tokens[start] ?? '';
  const rest = tokens.slice(start + 1, start + 24);
  if (dismissals.has(verb) && rest.some((t) => dismissed.has(t))) return 'instruction';
  if (replies.has(verb) && rest.some((t) => repliesAbout.has(t))) return 'instruction';
  const head = tokens.slice(0, 24);
  if (head.some((t, i) => verdictNouns.has(t) && verdictAdjectives.has(head[i - 1] ?? '')))
    return 'instruction';
  if (
    head.some((t, i) => verdictVerbs.has(t) && head.slice(0, i).some((u) => u === 'must' || u === 'should'))
  ) {
    return 'instruction';
  }
  return picks.has(verb) && tokens.length - start <= 6 ? 'pick' : 'none';
}

export const clauseEnds: ReadonlySet<string> = new Set([...',;:"(){}[].!?—', 'and']);

/** Whether a sentence gives orders to who decides about it. One with a role or the name of an answer before a colon follows others. */
export function givesOrders(tokens: readonly string[], followsOthers: boolean): boolean {
  if (followsOthers && claimsRole(tokens)) return true;
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    if (token !== undefined && !clauseEnds.has(token)) continue;
    if (at > from && clauseKind(tokens.slice(from, at)) !== 'none') return true;
    from = at + 1;
  }
  return false;
}
