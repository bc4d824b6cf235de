/**
 * Short word lists, written by hand and not derived from a published lexicon. Word vectors put "happy" beside "angry",
 * so feeling needs a list.
 */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Words that negate what follows. `tokenize` has already expanded contractions. */
export const negators: ReadonlySet<string> = new Set(
  words('not no never without nor neither none hardly nobody nothing'),
);

/** Words that a negation skips: "not at all angry", "not about the delivery". */
export const passed: ReadonlySet<string> = new Set(
  words(`a an the any my your our their his her its this that at all very so really even yet to be been being for
    about with of in on just only always too much do does did have has had i you we they he she it am is are was
    were will would could can should`),
);

/** Words whose negation extends to what follows: "I do not want a refund", "I never asked to cancel". */
export const wishes: ReadonlySet<string> = new Set(
  words(`want wants wanted wanting need needs needed needing ask asks asked asking request requested requesting like
    wish interested looking require requires please say said saying mention mentioned`),
);

/** Words that end the reach of a negation. */
export const negationEnds: ReadonlySet<string> = new Set(
  words('but however although though because and or so'),
);

/** Courtesies and other words without a topic that are not frequent enough in news text to get a low weight. */
export const fillers: ReadonlySet<string> = new Set(
  words(`please thanks thank hello hi hey okay ok tell let know like want need would could should help get got
    give really just im id ive lets yeah sure wondering wonder hoping looking trying try able something anything
    thing things someone anyone kind possible possibly dear regards sir madam guys`),
);

/** Words of the frame around a question's content: "is the customer asking about …". */
export const frames: ReadonlySet<string> = new Set(
  words(`customer customers user users client person someone speaker writer author sender caller message messages
    text email state statement sentence following given content conversation request asking asks ask asked
    question questions about regarding concerning related relates relate mention mentions mentioned mentioning
    describe describes described talking talks talk discuss discusses discussing say says said saying tell tells
    express expresses expressing expressed seem seems seeming sound sounds sounding appear appears wants wanted
    wanting want need needs needing like likes topic subject intent intention contain contains containing refer
    refers referring whether does main primary best option options answer category categories label classify
    determine decide identify which inquire inquiring inquires`),
);

/** Words that make a question one of topic ("about X") rather than of fact or wish. */
export const topicCues: ReadonlySet<string> = new Set(
  words(`about regarding concerning related relates relate mention mentions mentioned mentioning discuss discusses
    discussing topic subject refer refers referring inquiring`),
);

export const affirmations: ReadonlySet<string> = new Set(words('yes true yep correct affirmative y'));
export const denials: ReadonlySet<string> = new Set(words('no false nope incorrect negative n'));
/** Names of options that stand for whatever the others leave. */
export const remainders: ReadonlySet<string> = new Set(
  words(
    'other others none neither unknown unclear else unrelated irrelevant misc miscellaneous general na oos',
  ),
);

/** Valence from -1 to 1 and intensity (urgency, force) from 0 to 1. */
export interface Feeling {
  readonly valence: number;
  readonly intensity: number;
}

const tiers: readonly (readonly [valence: number, intensity: number, list: string])[] = [
  [
    -1,
    1,
    `furious outraged outrageous unacceptable disgusting horrible terrible awful worst hate hated appalling
    atrocious scam fraud liar liars disgrace enraged livid ridiculous catastrophic disaster hostile threatening 😡 🤬`,
  ],
  [
    -0.8,
    0.7,
    `angry mad upset furious frustrated frustrating frustration annoyed annoying complain complaint
    complaining irritated irate rude useless pathetic incompetent unhappy disappointed disappointing disappointment
    dissatisfied unsatisfied fed lousy abysmal insulting abusive offended dreadful miserable disgusted sick 😠 👎`,
  ],
  [
    -0.5,
    0.4,
    `bad poor sad worried worry worrying concerned problem problems trouble broken fail failed fails failing
    failure wrong slow crash crashed crashes crashing error errors stuck lost unfortunately negative difficult
    confusing confused afraid scared hurt pain waste wasted ruined damaged defective faulty missing late delay
    delayed lacking mediocre boring dislike disliked regret sorry unfair unreliable noisy dirty cold 😞 😢 😭 ☹ 🙁`,
  ],
  [
    0.5,
    0.2,
    `good nice fine helpful thanks thank glad pleased satisfied kind friendly positive appreciate appreciated
    easy smooth well clean works reliable comfortable calm polite pleasant enjoy enjoyed decent recommend like liked
    fast quick resolved success successful grateful warm better fair 🙂 👍 😊`,
  ],
  [
    0.9,
    0.6,
    `great happy love loved loves excellent amazing wonderful fantastic awesome perfect perfectly best superb
    delighted thrilled brilliant outstanding delicious delightful impressed impressive excited exceptional flawless
    beautiful terrific fabulous joy ecstatic stellar 😀 😃 😄 😍 🥰 ❤ 🎉 🤩`,
  ],
  [
    0,
    1,
    `urgent urgently immediately asap emergency critical crucial vital emergencies haste extreme extremely desperate
    severe severely deadline outage flooding escalate high highest priority`,
  ],
  [-0.6, 0.9, `dangerous fatal blocked lawyer sue police threat dire stolen attack bleeding fire`],
  [
    0,
    0.6,
    'very now right today important soon quickly serious seriously strongly major really so absolutely totally',
  ],
  [
    0,
    -0.5,
    `whenever eventually later someday minor slight slightly mild low lowest trivial relaxed routine casual
    calm patient hurry-free optional somewhat little curious`,
  ],
];

export const feelings: ReadonlyMap<string, Feeling> = new Map(
  tiers.flatMap(([valence, intensity, list]) =>
    words(list).map((word) => [word, { valence, intensity }] as const),
  ),
);
