// Resolves imports by arithmetic on their addresses, and the name of a package once. Node looks each of them up on the disk,
// for every file that has it: the folders above it, a package.json and its real path. Of the 2,000 modules of a server that
// takes 200 of 860 ms of CPU for relative ones and 80 of 790 for names (measured).
import module from 'node:module';

/** Of `.js` files: the package.json above them, which says it, is one for all files of a folder. */
const formatsByFolder = new Map();
/** Of packages that files of this one import: no folder below these has packages of its own. */
const foundByName = new Map();
const own = ['src/', 'dist/', 'test/'].map((folder) => new URL(`../${folder}`, import.meta.url).href);

module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '', conditions } = context;
    // What `require` resolves may lack its extension, and be a folder.
    if (!parentURL.startsWith('file:') || conditions.includes('require')) return next(specifier, context);
    if (specifier.startsWith('node:')) return { url: specifier, format: 'builtin', shortCircuit: true };
    if (!/^\.\.?\//.test(specifier)) return resolveName(specifier, context, next);
    const { href } = new URL(specifier, parentURL);
    const folder = href.slice(0, href.lastIndexOf('/'));
    const known = { mjs: 'module', ts: 'module-typescript', js: formatsByFolder.get(folder) };
    const format = known[href.slice(href.lastIndexOf('.') + 1)];
    if (format !== undefined) return { url: href, format, shortCircuit: true };
    const found = next(specifier, context);
    if (found.url === href && href.endsWith('.js') && found.format === 'module')
      formatsByFolder.set(folder, 'module');
    return found;
  },
});

function resolveName(specifier, context, next) {
  // An absolute address is no name, and what lies there may change.
  if (
    !/^[\w@]/.test(specifier) ||
    specifier.includes(':') ||
    !own.some((folder) => context.parentURL.startsWith(folder))
  )
    return next(specifier, context);
  const known = foundByName.get(specifier);
  if (known !== undefined) return known;
  const { url, format } = next(specifier, context);
  const found = { url, format, shortCircuit: true };
  foundByName.set(specifier, found);
  return found;
}
