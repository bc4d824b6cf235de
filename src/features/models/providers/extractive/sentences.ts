const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Abbreviations that stand in the middle of sentences, in languages that write them with a dot. */
const abbreviations = new Set(
  `dr mr mrs ms prof st sr sra srta jr no fig vs etc approx ca cf inc ltd corp dept est max min vol ed eds eq sec ref
  al resp incl excl tel ext nr abs bzw vgl evtl ggf usw bspw inkl exkl zzgl sog str kap mio mrd jh hrsg geb gest anm art
  aufl hr fr dipl ing dgl ev lt bd s z d u v n m i b h e g p av núm num pág págs dña ud uds ee uu aprox tfno mme mlle mgr
  env chap éd bijv enz blz dhr mevr mw o.a np tj tzn ul godz wg dot ok al str č popř apod např resp kč т г гг др пр стр
  ул им см руб коп тыс млн млрд sig dott prof ecc pagg cap dvs bl kr ev jf f.eks t.ex osv mvh esim ym ts mm`.split(
    /\s+/,
  ),
);

/** Words behind which a number with a dot is an ordinal: "am 18. September", "der 3. Weltkrieg", "kl. 8. i". */
const beforeOrdinal =
  /(?:^|[\s(„"])(?:am|im|vom|zum|beim|ab|bis|seit|der|die|das|den|dem|des|ein|eine|einen|einem|einer|jeden|jedem|jeder|und|oder|o|dne|od|do|dnia|ve|v|na|den|til|fra|klo) \d{1,2}\.$/i;
/** The names of months, as far as they are written with a capital behind a number with a dot. */
const month =
  /^(?:Jan|Jän|Feb|Feber|März|Mär|Apr|Mai|Juni?|Juli?|Aug|Sept?|Okt|Nov|Dez|January|February|March|April|May|June|July|August|September|October|November|December|Januar|Jänner|Februar|Oktober|Dezember|Ocak|Şubat|Mart|Nisan|Mayıs|Haziran|Temmuz|Ağustos|Eylül|Ekim|Kasım|Aralık)\b/u;

/** Whether what ends here with a dot goes on. */
function goesOn(before: string, after: string): boolean {
  const text = before.trimEnd();
  if (!text.endsWith('.')) return false;
  // "18. 9. 2026" as well: a number that follows one with a dot.
  if (/(?:^|\s)\d{1,2}\.$/.test(text.slice(-4)))
    return month.test(after) || /^\d{1,4}\b/.test(after) || beforeOrdinal.test(text.slice(-24));
  const word = /(?:^|[\s("„«'’])(?<word>[\p{L}.]{1,8})\.$/u.exec(text.slice(-12))?.groups?.['word'] ?? '';
  if (word === '') return false;
  // An initial, and what is cut down to letters with dots: "J. R. R.", "z.B.", "U.S.".
  if (/^\p{Lu}$/u.test(word) || /^\p{L}{1,2}(?:\.\p{L}{1,2}){1,3}$/u.test(word)) return true;
  return abbreviations.has(word.toLowerCase());
}

/** The sentences of a paragraph. Abbreviations and dates of many languages do not end one. */
export function splitSentences(paragraph: string): readonly string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment, index } of segmenter.segment(paragraph)) {
    open += segment;
    const end = index + segment.length;
    if (goesOn(open, paragraph.slice(end, end + 20)) || isInCode(open)) continue;
    sentences.push(open.trim());
    open = '';
  }
  return open.trim() === '' ? sentences : [...sentences, open.trim()];
}

/** Code is no sentence by its dots: it ends with its mark, which a paragraph without one would not have. */
function isInCode(open: string): boolean {
  if (open.length > codeCharsMax) return false;
  let marks = 0;
  for (const sign of open) if (sign === '`') marks++;
  return marks % 2 === 1;
}

const codeCharsMax = 600;
