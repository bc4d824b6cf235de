/**
 * Frequent words of languages in Latin letters, chosen so that a short message holds some, and letters that few others
 * have. Written by hand. A word may stand in several: then it says nothing between them.
 */
export interface LatinLanguage {
  readonly code: string;
  readonly words: ReadonlySet<string>;
  readonly letters: RegExp;
}

const none = /(?!)/;
const latin = (code: string, words: string, letters: RegExp = none): LatinLanguage => ({
  code,
  words: new Set(words.trim().split(/\s+/)),
  letters,
});

export const latinLanguages: readonly LatinLanguage[] = [
  latin(
    'en',
    `the of and to is it that this was were are be been have has had not you your i my we our they their with for on at
    from by as but or an can could would will please thanks thank hello hi what when where why how who which there here
    do does did don't i'm it's yes if about just get got me he she his her want need still after before because again`,
  ),
  latin(
    'de',
    `der die das den dem des ein eine einen einem einer und oder aber ist sind war waren bin bist nicht kein keine ich du
    er sie es wir ihr mein meine meinen meiner dein ihre unser mit von zu zum zur auf für bei aus nach über auch noch
    wie was wann wo warum wer dass wenn weil hat habe haben hatte wird werden wurde kann können bitte danke hallo guten
    sehr schon mir mich uns heute ihnen im am um als an nur mehr seit gibt möchte`,
    /[äöüß]/,
  ),
  latin(
    'fr',
    `le la les un une des du de et ou mais est sont était suis pas ne je tu il elle nous vous ils elles mon ma mes votre
    vos notre nos avec pour sur dans par au aux ce cette ces qui que quoi quand où pourquoi comment bonjour merci salut
    très plus encore été avoir être fait j'ai c'est n'est d'un d'une l'on en y à a ai avez sans leur son sa ses si
    toujours veux voudrais`,
    /[çœêèàùî]/,
  ),
  latin(
    'es',
    `el la los las un una unos de del y o pero es son era está están estoy no yo tú él ella nosotros ustedes usted mi mis
    su sus con para por en al que qué cuando cuándo dónde por qué cómo hola gracias muy más todavía ha he han hay ser
    fue lo le se me te nos si ya porque este esta esto como sin también buenos días quiero puedo`,
    /[ñ¿¡]/,
  ),
  latin(
    'it',
    `il lo la i gli le un uno una di del della dei delle e o ma è sono era non io tu lui lei noi voi mio mia miei suo
    sua con per su nel nella in al alla che chi quando dove perché come ciao grazie buongiorno molto più ancora ho hai
    ha abbiamo hanno essere stato si mi ti ci questo questa anche da dal vorrei posso`,
  ),
  latin(
    'pt',
    `o a os as um uma de do da dos das e ou mas é são era está estão não eu você ele ela nós meu minha meus seu sua com
    para por em no na nos nas ao que quando onde como olá obrigado obrigada muito mais ainda foi ser tem tenho há isso
    este esta também já se me lhe porque sem bom dia quero posso`,
    /[ãõ]/,
  ),
  latin(
    'nl',
    `de het een en of maar is zijn was waren ben niet geen ik jij je hij zij ze wij we jullie mijn uw ons onze met van
    voor op aan bij uit naar over ook nog hoe wat wanneer waar waarom wie dat dit die als omdat heeft heb hebben had
    wordt worden kan kunnen graag dank hallo goed zeer al mij te er om in wil`,
  ),
  latin(
    'sv',
    `och att det som är en ett på av för med inte jag du han hon vi ni de den var har hade kan ska skulle till från om
    men eller min mitt mina din ert vår hur vad när var varför vem tack hej mycket också från bara efter nu så man`,
    /[åäö]/,
  ),
  latin(
    'da',
    `og at det som er en et på af for med ikke jeg du han hun vi de den var har havde kan skal skulle til fra om men
    eller min mit mine din jeres vores hvordan hvad hvornår hvor hvorfor hvem tak hej meget også efter nu så man mig`,
    /[æøå]/,
  ),
  latin(
    'no',
    `og at det som er en et på av for med ikke jeg du han hun vi de den var har hadde kan skal skulle til fra om men
    eller min mitt mine din deres vår hvordan hva når hvor hvorfor hvem takk hei mye også etter nå så man meg`,
    /[æøå]/,
  ),
  latin(
    'pl',
    `i w na z do się nie to jest są był była być jak co kiedy gdzie dlaczego kto ale lub oraz że ja ty on ona my wy oni
    mój moja moje pan pani dla od po za przez przy tak proszę dziękuję dzień dobry cześć bardzo już jeszcze mam ma mnie
    czy ten ta te który która`,
    /[ąęłśżźń]/,
  ),
  latin(
    'cs',
    `a v na z do se ne to je jsou byl byla být jak co kdy kde proč kdo ale nebo že já ty on ona my vy oni můj moje pro
    od po za přes při ano prosím děkuji dobrý den ahoj velmi už ještě mám má mi tento ta který která jsem není`,
    /[ěřů]/,
  ),
  latin(
    'tr',
    `ve bir bu da de için ile değil ne nasıl nerede neden kim ama veya ki ben sen o biz siz onlar benim var yok çok daha
    gibi kadar olan olarak oldu merhaba teşekkür teşekkürler lütfen evet hayır mi mı şu her sonra`,
    /[ğşı]/,
  ),
  latin(
    'ro',
    `și în de la cu pe nu este sunt era un o din că ce cum când unde cine dar sau eu tu el ea noi voi mea meu pentru
    prin mai foarte am ai are au fost bună mulțumesc vă rog care acest această`,
    /[țșăţş]/,
  ),
  latin(
    'hu',
    `a az és hogy nem is van volt egy ez ki mi mit mikor hol miért hogyan de vagy én te ő mi ti ők nekem meg már még
    csak köszönöm kérem jó szia nagyon szeretném lehet kell el be`,
    /[őű]/,
  ),
  latin(
    'fi',
    `ja on ei se että mutta tai minä sinä hän me te he minun oli olen ovat olla kun missä miksi kuka miten mikä kiitos
    hei hyvää paljon myös vielä nyt kuin jos tämä joka ole en`,
  ),
  latin(
    'id',
    `yang dan di ke dari untuk dengan tidak ini itu saya anda kami kita mereka ada adalah akan sudah belum bisa apa
    bagaimana kapan mana mengapa siapa terima kasih halo selamat tolong pada atau juga karena`,
  ),
];

export interface Script {
  readonly code: string;
  readonly letters: RegExp;
}

/** Languages that their script tells; between those of one script, letters that only one of them has. */
export const scripts: readonly Script[] = [
  { code: 'ru', letters: /[\u0400-\u04ff]/gu },
  { code: 'uk', letters: /[іїєґ]/giu },
  { code: 'el', letters: /\p{Script=Greek}/gu },
  { code: 'he', letters: /\p{Script=Hebrew}/gu },
  { code: 'ar', letters: /\p{Script=Arabic}/gu },
  { code: 'hi', letters: /\p{Script=Devanagari}/gu },
  { code: 'th', letters: /\p{Script=Thai}/gu },
  { code: 'zh', letters: /\p{Script=Han}/gu },
  { code: 'ja', letters: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu },
  { code: 'ko', letters: /\p{Script=Hangul}/gu },
];

const names: readonly (readonly [code: string, names: string])[] = [
  ['en', 'english|englisch|anglais|inglés'],
  ['de', 'german|deutsch|allemand|alemán'],
  ['fr', 'french|français|francais|französisch|francés'],
  ['es', 'spanish|español|espanol|spanisch|castilian'],
  ['it', 'italian|italiano|italienisch'],
  ['pt', 'portuguese|português|portugues|portugiesisch'],
  ['nl', 'dutch|nederlands|niederländisch'],
  ['sv', 'swedish|svenska'],
  ['da', 'danish|dansk'],
  ['no', 'norwegian|norsk'],
  ['pl', 'polish|polski'],
  ['cs', 'czech|čeština'],
  ['tr', 'turkish|türkçe'],
  ['ro', 'romanian|română'],
  ['hu', 'hungarian|magyar'],
  ['fi', 'finnish|suomi'],
  ['id', 'indonesian|bahasa indonesia'],
  ['ru', 'russian|русский'],
  ['uk', 'ukrainian|українська'],
  ['el', 'greek|ελληνικά'],
  ['he', 'hebrew|עברית'],
  ['ar', 'arabic|العربية'],
  ['hi', 'hindi|हिन्दी'],
  ['th', 'thai|ไทย'],
  ['zh', 'chinese|中文|mandarin'],
  ['ja', 'japanese|日本語'],
  ['ko', 'korean|한국어'],
];

/** Codes of languages by their names, in lower case. */
export const languageCodes: ReadonlyMap<string, string> = new Map(
  names.flatMap(([code, all]) => all.split('|').map((name) => [name, code] as const)),
);
