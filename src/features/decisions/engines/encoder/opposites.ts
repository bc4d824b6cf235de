import { topicCues } from '../../words/lexicon.ts';

/**
 * Words of attitude and feeling and their opposites, written by hand. Only what a text is either more or less of: what
 * is not sold need not be bought.
 */
const pairs = `
positive negative; positively negatively; good bad; great terrible; excellent awful; wonderful horrible; happy unhappy;
happiness unhappiness; satisfied dissatisfied; satisfaction dissatisfaction; pleased displeased; content discontent;
glad sad; joyful sorrowful; joy sorrow; delighted disappointed; delight disappointment; favourable unfavourable;
favorable unfavorable; like dislike; likes dislikes; liked disliked; love hate; loves hates; loved hated; enjoy detest;
enjoys detests; enjoyed detested; enjoyable unpleasant; pleasant nasty; praise criticism; praises criticises;
praising criticising; praised criticised; compliment complaint; compliments complaints; approve disapprove;
approves disapproves; approval disapproval; recommend discourage; recommends discourages; recommended discouraged;
impressed unimpressed; impressive unimpressive; optimistic pessimistic; optimism pessimism; hopeful hopeless;
friendly hostile; friendliness hostility; polite rude; politely rudely; politeness rudeness; respectful disrespectful;
kind unkind; nice mean; calm angry; calmly angrily; calmness anger; patient impatient; relaxed upset; cheerful gloomy;
grateful ungrateful; thankful thankless; confident afraid; confidence fear; relieved worried; relief worry; proud ashamed;
pride shame; excited bored; excitement boredom; interesting boring; admiring contemptuous;
admiration contempt; supportive dismissive; helpful unhelpful; successful unsuccessful; success failure;
delicious disgusting; beautiful ugly; funny unfunny; comfortable uncomfortable; reliable unreliable; fair unfair;
honest dishonest; acceptable unacceptable; perfect flawed; best worst; better worse; amazing dreadful; fantastic lousy;
superb poor; agrees disagrees; agree disagree; agreeing disagreeing; trusts distrusts; trust distrust; benign harmful; gentle aggressive; peaceful violent; complimentary insulting;
contented frustrated; soothed annoyed; amused irritated; pleasing offensive; appreciative critical; courteous abusive`;

const opposites: ReadonlyMap<string, string> = new Map(
  pairs
    .split(';')
    .map((pair) => pair.trim().split(' '))
    .flatMap(([good = '', bad = '']) => [
      [bad, good],
      [good, bad],
    ]),
);

/** "look like", "would they like" */
const likened = /\b(?:look|looks|sound|sounds|seem|seems|feel|feels|something|anything) $|\bwould\b/i;

/** "the patient", "this content": names of somebody or something, and no feeling. */
const isNamed = (word: string, before: string): boolean =>
  /^(?:patient|content)$/i.test(word) &&
  /\b(?:the|a|an|this|that|our|his|her|their|any|each|which) $/i.test(before);

/** Longer texts explain something, and no word of them turns all of it round. */
const charsMax = 400;

/** The opposite of a word; null where it has none here. */
export const oppositeOfWord = (word: string): string | null => opposites.get(word.toLowerCase()) ?? null;

/**
 * The same statement with the opposite of the first word that has one; null where none has. What a text is about stands
 * behind "about", and its opposite would be about the same.
 */
export function oppositeOf(statement: string): string | null {
  if (statement.length > charsMax) return null;
  for (const found of statement.matchAll(/[\p{L}'’]+/gu)) {
    const [word] = found;
    if (topicCues.has(word.toLowerCase())) return null;
    const opposite = oppositeOfWord(word);
    const before = statement.slice(0, found.index);
    if (opposite === null || (word === 'like' && likened.test(before)) || isNamed(word, before)) continue;
    const said = /^\p{Lu}/u.test(word) ? opposite.charAt(0).toUpperCase() + opposite.slice(1) : opposite;
    return statement.slice(0, found.index) + said + statement.slice(found.index + word.length);
  }
  return null;
}
