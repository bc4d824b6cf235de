/** Where a PostgreSQL is, in two forms: one to connect with and one that may be shown. */
interface Address {
  /** For `pg`; carries the password. */
  readonly connectionString: string;
  /** `host:port/name`, for messages. Nothing of the user's part and no parameter is in it. */
  readonly label: string;
}

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=verify-full`. Throws an Error of one line that repeats
 * nothing of the url, and has no cause: the error of `URL` carries its input.
 */
export function parseAddress(url: string): Address {
  let parsed: URL;
  try {
    parsed = new URL(url);
    // `pg` decodes them later, where a malformed one would fail each connection.
    for (const part of [parsed.username, parsed.password, parsed.pathname]) decodeURIComponent(part);
  } catch {
    throw new Error(
      'database: write postgres://USER:PASSWORD@HOST:PORT/NAME, with %XX for special characters',
    );
  }
  const parameters = parsed.searchParams;
  const host = parsed.hostname || parameters.get('host') || 'localhost';
  const port = parsed.port || parameters.get('port') || '5432';
  const mode = parameters.get('sslmode') ?? '';
  if (['prefer', 'require', 'verify-ca'].includes(mode) && parameters.get('uselibpqcompat') !== 'true') {
    // What this version of `pg` does with them. The next one would check less, and this one writes a warning.
    parameters.set('sslmode', 'verify-full');
  }
  return { connectionString: parsed.href, label: `${host}:${port}${parsed.pathname}` };
}
