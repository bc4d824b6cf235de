import { stem } from '../../../../kernel/kit/stem.ts';

/** Base and other forms of English verbs that no ending tells; those that only frame a question are left out. */
const irregular = `
arise arose arisen;awake awoke awoken;bear bore borne;beat beaten;become became;begin began begun;bend bent;bind bound;bite bit bitten;
bleed bled;blow blew blown;break broke broken;breed bred;bring brought;build built;burn burnt;buy bought;catch caught;
choose chose chosen;cling clung;come came;creep crept;deal dealt;dig dug;draw drew drawn;dream dreamt;drink drank drunk;drive drove driven;
eat ate eaten;fall fell fallen;feed fed;feel felt;fight fought;find found;flee fled;fly flew flown;forbid forbade forbidden;
forget forgot forgotten;forgive forgave forgiven;freeze froze frozen;get got gotten;give gave given;go went gone;grind ground;grow grew grown;
hang hung;hear heard;hide hid hidden;hold held;keep kept;kneel knelt;know knew known;lead led;leap leapt;learn learnt;leave left;lend lent;
light lit;lose lost;make made;mean meant;meet met;mistake mistook mistaken;overcome overcame;pay paid;prove proven;repay repaid;ride rode ridden;
ring rang rung;rise rose risen;run ran;see saw seen;seek sought;sell sold;send sent;resend resent;sew sewn;shake shook shaken;shine shone;
shoot shot;show shown;shrink shrank shrunk;sing sang sung;sink sank sunk;sit sat;sleep slept;slide slid;smell smelt;speak spoke spoken;
spell spelt;spend spent;spill spilt;spin spun;spoil spoilt;stand stood;steal stole stolen;stick stuck;sting stung;strike struck;swear swore sworn;
sweep swept;swell swollen;swim swam swum;swing swung;take took taken;teach taught;tear tore torn;think thought;throw threw thrown;
understand understood;undergo underwent undergone;undertake undertook undertaken;wake woke woken;wear wore worn;weave wove woven;weep wept;
win won;wind wound;withdraw withdrew withdrawn;withhold withheld;write wrote written;rewrite rewrote rewritten`;

const bases: ReadonlyMap<string, string> = new Map(
  irregular.split(';').flatMap((verb) => {
    const [base = '', ...forms] = verb.trim().split(' ');
    return forms.map((form) => [form, base] as const);
  }),
);

/** The same for all forms of a word: "come" and "came", "refund" and "refunded". */
export const rootOf = (word: string): string => stem(bases.get(word) ?? word);
