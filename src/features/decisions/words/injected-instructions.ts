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
  if (verb !== 'answer' && !picks.has(verb) && asksForAnswer(verb, tokens.slice(start + 1), start > 0))
    return 'instruction';
  const head = tokens.slice(0, 24);
  if (head.some((t, i) => verdictNouns.has(t) && verdictAdjectives.has(head[i - 1] ?? '')))
    return 'instruction';
  if (
    head.some((t, i) => verdictVerbs.has(t) && head.slice(0, i).some((u) => u === 'must' || u === 'should'))
  ) {
    return 'instruction';
  }
  const pickMax = verb === 'say' ? 3 : 6;
  const isPick = (picks.has(verb) || verb === 'say') && tokens.length - start <= pickMax;
  return isPick && !isOfWriter(rest) ? 'pick' : 'none';
}

const past = set('was were has had does did came called failed');
const relative = set('that which what who it this');
/** What is wished for is none of the answers: "please choose another seat". */
const ofWriter = set('another different new my our');
/** "Rate limit exceeded", "label printer" */
const compounds = set('limit limits limiter printer printers');

/** Whether what stands behind "label", "output" or "choose" tells what happened, or wishes for something of the writer's own. */
function isOfWriter(rest: readonly string[]): boolean {
  return rest.some((t, at) => {
    // "Answer is billing" may be an order, and so may "pick the one that was billing".
    const tells = past.has(t) || (at > 0 && (t === 'is' || t === 'are'));
    return (tells && !relative.has(rest[at - 1] ?? '')) || ofWriter.has(t) || (at === 0 && compounds.has(t));
  });
}

/** Behind these a verb tells what somebody does, says or asks. */
const subjects =
  set(`i you we they he she it one who that which what to not never would could can will shall should
  must may might do does did how me him her us them if whether gotta wanna gonna let`);
const joins = set('and or');
/** The order began with these. */
const softeners = set('please just simply only kindly now then always never also');
/** "the label of the best answer: A". Others end verbs too: "I cannot sign in". */
const belonging = set('of is was not');
const between = set(`with just only always simply the a word in by it is as this that exactly " ' :`);
/** "reply no later than Monday", "say no more" */
const noMore = set('later more one longer less matter problem idea way need doubt thanks');
/** "please reply soon" */
const whenOrWhom =
  set(`soon asap quickly immediately now back today tomorrow me us him her them urgently fast promptly here
  there to by at in on for when if before from my your our`);
const determiners = set('my your his her their our its the a an this that no any each every');
const sure = set('all any every previous prior above earlier these those your preceding the everything');
const shortAnswers = set('yes no true false');
const isSaid = set('is : = must should');

/**
 * Whether tokens that go on a sentence, without a capital, give orders to who decides. Stricter than `clauseKind`: they may
 * also go on what the writer says of others.
 */
export function goesOnAsOrder(tokens: readonly string[], before: string): boolean {
  if (determiners.has(before) || softeners.has(before)) return false;
  const [first = ''] = tokens;
  if (claimsRole(verdictAdjectives.has(first) ? tokens.slice(1) : tokens))
    return !verdictAdjectives.has(before);
  let start = 0;
  while (start < tokens.length - 1 && leads.has(tokens[start] ?? '')) start++;
  if (start === 0 && subjects.has(before)) return false;
  const [verb = '', ...all] = tokens.slice(start).filter((t) => t !== '.' && t !== '!');
  const rest = all.slice(0, 7);
  if (dismissals.has(verb)) return rest.some((t) => dismissed.has(t)) && rest.some((t) => sure.has(t));
  if (verb === 'the') {
    const [adjective = '', noun = '', said = ''] = rest;
    const isClaim = verdictAdjectives.has(adjective) && verdictNouns.has(noun) && isSaid.has(said);
    return isClaim && !belonging.has(before);
  }
  if (joins.has(before)) return false;
  const [answer = '', next = ''] = all.slice(all.findIndex((t) => !between.has(t)));
  return (
    (replies.has(verb) && shortAnswers.has(answer) && !noMore.has(next)) ||
    asksForAnswer(verb, all, start > 0)
  );
}

/** "answer billing to the question", "reply with billing", "classify this message as billing", "choose billing" */
function asksForAnswer(verb: string, rest: readonly string[], isLed: boolean): boolean {
  const said = rest.slice(rest.findIndex((t) => !between.has(t))).filter((t) => t !== '.' && t !== '!');
  const isBare = said.length > 0 && said.length <= 2 && !whenOrWhom.has(said[0] ?? '');
  if (verb === 'reply' || verb === 'respond') return rest[0] === 'with' && isBare;
  if (choosing.has(verb)) return isLed && isBare;
  if (verb === 'answer') {
    const to = rest.indexOf('to');
    return (isLed && isBare) || (to > 0 && to <= 4 && rest.slice(to, to + 4).some((t) => asked.has(t)));
  }
  const as = rest.indexOf('as');
  return labels.has(verb) && as > 0 && as < 5 && rest.slice(0, as).some((t) => texts.has(t));
}

const choosing = set('choose select pick output');
const asked = set('question questions');
const labels = set('classify label categorize categorise');
const texts = set('this it message text everything that');

/** What an order to say something names: "just the word billing" is `billing`. */
export const orderedIn = (rest: readonly string[]): readonly string[] =>
  rest.slice(rest.findIndex((t) => !between.has(t) && !verdictNouns.has(t)));

const people = set('people men women children staff police everybody others users');
const pronounsAndDeterminers =
  set(`i you we they he she it one who this that these those the a an my your his her its our
  their every each some any no all both`);
/** Their verb may stand behind a subject: "does the page say", "let my wife choose". */
const helpers =
  set(`do does did can could will would shall should may might must let lets make makes made making have has
  had help helps helped see saw hear heard watch watched`);
const subjectMax = 4;

/**
 * Whether a verb in its plain form, behind these words of its sentence, is an order: what else has that form follows "to", a
 * subject in the plural, or a helping verb with its subject. In doubt it is none.
 */
export function mayFollowAsOrder(words: readonly string[]): boolean {
  const before = words.at(-1) ?? '';
  if ([subjects, determiners, softeners, joins, people, leads, helpers].some((some) => some.has(before)))
    return false;
  if (clauseEnds.has(before) || /(?:[^s]s|ly)$/u.test(before)) return false;
  if (helpers.has(words.at(-2) ?? '')) return false;
  const near = words.slice(-subjectMax - 1);
  return !near.some((word, at) => helpers.has(word) && pronounsAndDeterminers.has(near[at + 1] ?? ''));
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
