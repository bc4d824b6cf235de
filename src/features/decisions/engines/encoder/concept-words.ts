/** Something that many ask of a message, and for which texts were graded: how urgent it is, whether it is spam. */
export interface Concept {
  readonly name: string;
  /** Words that ask for it. A bar stands before those that ask for its opposite. */
  readonly words: string;
  /** Questions of `training/decider/questions.txt` that tell of it too. */
  readonly questions: readonly string[];
}

export const concepts: readonly Concept[] = [
  {
    name: 'urgency',
    words: `urgent urgently urgency immediate immediately emergency asap pressing priority prioritize prioritise hurry haste
      time-critical time-sensitive`,
    questions: ['urgent', 'hurry'],
  },
  {
    name: 'anger',
    words: `angry anger angrily furious fury irate outraged outrage rage mad livid irritated irritation annoyed annoyance
      frustrated frustration upset enraged aggressive | calm calmly relaxed`,
    questions: ['angry'],
  },
  {
    name: 'toxicity',
    words: `toxic toxicity abusive abuse insult insults insulting offensive hateful hate harassment harassing bullying profane
      profanity hostile hostility derogatory attack attacks attacking`,
    questions: ['insult'],
  },
  {
    name: 'threat',
    words:
      'threat threats threaten threatens threatening violence violent intimidating intimidation blackmail extortion',
    questions: ['threat'],
  },
  {
    name: 'spam',
    words: 'spam spammy junk unsolicited advertising advertisement promotional promotion',
    questions: ['spam'],
  },
  {
    name: 'phishing',
    words:
      'phishing phish scam scams fraud fraudulent deceptive malicious suspicious impersonation impersonating',
    questions: [],
  },
  {
    name: 'severity',
    words:
      'severe severity serious seriousness critical criticality grave impact disastrous | harmless trivial minor',
    questions: ['outage'],
  },
  {
    name: 'satisfaction',
    words: `satisfied satisfaction satisfactory sentiment positive positively stars star rating rate rated quality excellent
      outstanding good great well happy pleased impressed favorable favourable recommend performance solid strong
      superb perfect |
      dissatisfied dissatisfaction unsatisfied negative negatively unhappy disappointed disappointment poor bad terrible awful
      fail failed weak fair`,
    questions: [],
  },
  { name: 'seniority', words: 'senior seniority experienced | junior inexperienced', questions: [] },
  {
    name: 'security',
    words: `security vulnerability vulnerable insecure breach leak leaked hacked compromised exploit
      exploitable brute force attack intrusion`,
    questions: [],
  },
  { name: 'howto', words: 'howto', questions: [] },
  {
    name: 'bug',
    words: 'bug bugs defect malfunction malfunctioning glitch',
    questions: ['technical'],
  },
  {
    name: 'resolved',
    words: 'resolved solved fixed | unresolved unsolved',
    questions: [],
  },
  {
    name: 'complaint',
    words: 'complaint complaints complain complains complaining complained grievance',
    questions: ['complaint'],
  },
  { name: 'outage', words: 'outage outages downtime', questions: ['outage'] },
  { name: 'escalation', words: 'escalation escalate escalated', questions: [] },
  { name: 'salesinquiry', words: 'salesinquiry', questions: [] },
  { name: 'featurerequest', words: 'featurerequest', questions: [] },
];

/** What is asked for in several words, as the one word of the concept. */
export const spoken: readonly (readonly [said: RegExp, word: string])[] = [
  [/how-to/gi, 'howto'],
  [
    /(?:talk|speak|talking|speaking|chat|be connected|be transferred|transferred|handed over) (?:to|with) (?:a |an |the |our |your )?(?:human agent|human being|human|live agent|live person|real person|person|agent|representative|supervisor|manager|member of staff)/gi,
    'escalation',
  ],
  [/\b(?:a |an )?human (?:agent|handoff|takeover|support)\b/gi, 'escalation'],
  [/\b(?:pre-?)?sales (?:inquiry|enquiry|request|question|lead|opportunity|prospect)\b/gi, 'salesinquiry'],
  [/\bfeature (?:request|suggestion|wish|idea)s?\b/gi, 'featurerequest'],
];
