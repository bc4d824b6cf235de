import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage } from './detect-language.ts';
import { toLanguage } from './tidy.ts';

test('a declared tag gives its language', () => {
  assert.deepEqual(['de-AT', 'pt_BR', ' EN ', 'deu', '', null, 'x-default'].map(toLanguage), [
    'de',
    'pt',
    'en',
    null,
    null,
    null,
    null,
  ]);
});

test('a text that declares no language is recognized', () => {
  const texts = {
    en: 'The line will have fourteen stops and it is the longest of the country, with a bridge that was built for it.',
    de: 'Die Strecke ist nicht lang, und sie wird mit einer Br\u00fccke \u00fcber den Fluss auf die Insel gef\u00fchrt.',
    fr: 'Les habitants de la ville sont dans la rue pour la f\u00eate, et une foule est venue avec des fleurs.',
    es: 'Los vecinos de la ciudad se quejan del ruido, pero el alcalde dice que es por una buena causa.',
    ru: '\u041b\u0438\u043d\u0438\u044f \u0431\u044b\u043b\u0430 \u043f\u043e\u0441\u0442\u0440\u043e\u0435\u043d\u0430 \u0434\u043b\u044f \u0433\u043e\u0440\u043e\u0434\u0430',
    zh: '\u8fd9\u6761\u7ebf\u8def\u5c06\u4ece\u706b\u8f66\u7ad9\u5230\u6e2f\u53e3\uff0c\u5168\u7ebf\u6709\u5341\u56db\u4e2a\u7ad9\u70b9\u3002\u5de5\u7a0b\u5c06\u4e8e\u660e\u5e74\u5f00\u59cb',
    no: 'Hva er klokka? Regjeringen mener at ungdommene ikke bør jobbe så mye utenfor skolen, sa statsministeren.',
    da: 'Hvad er klokken? Regeringen mener, at de unge ikke bør arbejde så meget uden for skolen, sagde ministeren.',
    sv: 'Regeringen anser att ungdomar inte bör arbeta så mycket utanför skolan, sade ministern i går kväll.',
    fi: 'Hallituksen mielestä nuorten ei pitäisi työskennellä niin paljon koulun ulkopuolella, ministeri sanoi.',
    cs: 'Vláda se domnívá, že by mladí lidé neměli tolik pracovat mimo školu, řekl včera večer ministr.',
    pl: 'Rząd uważa, że młodzi ludzie nie powinni tyle pracować poza szkołą, powiedział wczoraj minister.',
    it: 'Il governo ritiene che i giovani non dovrebbero lavorare tanto fuori dalla scuola, ha detto il ministro.',
    pt: 'O governo considera que os jovens não deveriam trabalhar tanto fora da escola, disse ontem o ministro.',
    nl: 'De regering vindt dat jongeren niet zoveel buiten school moeten werken, zei de minister gisteravond.',
    tr: 'Hükümet gençlerin okul dışında bu kadar çok çalışmaması gerektiğini düşünüyor, dedi bakan dün akşam.',
    hu: 'A kormány szerint a fiataloknak nem kellene ennyit dolgozniuk az iskolán kívül, mondta a miniszter.',
    ro: 'Guvernul consideră că tinerii nu ar trebui să muncească atât de mult în afara școlii, a spus ministrul.',
    el: 'Η κυβέρνηση πιστεύει ότι οι νέοι δεν πρέπει να εργάζονται τόσο πολύ έξω από το σχολείο.',
    uk: 'Уряд вважає, що молоді люди не повинні так багато працювати поза школою, сказав учора міністр.',
    ja: '政府は、若者が学校の外でこれほど働くべきではないと考えていると、大臣は昨夜述べた。',
    ko: '정부는 젊은이들이 학교 밖에서 그렇게 많이 일해서는 안 된다고 생각한다고 장관이 말했다.',
    ar: 'تعتقد الحكومة أن الشباب لا ينبغي أن يعملوا كثيرا خارج المدرسة، كما قال الوزير مساء أمس.',
  };
  for (const [language, text] of Object.entries(texts)) assert.equal(detectLanguage(text), language);
});

test('no language is guessed for what is short, unclear or no text', () => {
  const texts = [
    '',
    'x1 y2 z3',
    'Norge og Danmark',
    'Om oss og det vi gjør',
    'lorem ipsum dolor sit amet consectetur adipiscing elit',
    'Nestor Odysseus Penelope Telemachos Agamemnon Menelaos',
    'Pemerintah menilai kaum muda tidak seharusnya bekerja begitu banyak di luar sekolah.',
  ];
  for (const text of texts) assert.equal(detectLanguage(text), null, text);
});
