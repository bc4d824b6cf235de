interface Address {
  /** For `pg`; contains the password. */
  readonly connectionString: string;
  /** `host:port/name`, for messages. */
  readonly label: string;
}

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=verify-full`. Throws a one-line Error that repeats nothing
 * of the url and has no cause: that of `URL` carries its input.
 */
export function parseAddress(url: string): Address {
  let parsed: URL;
  try {
    parsed = new URL(url);
    // `pg` decodes them per connection, each of which would fail.
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
    // This version of `pg` treats them so, with a warning; the next one would check less.
    parameters.set('sslmode', 'verify-full');
  }
  return { connectionString: parsed.href, label: `${host}:${port}${parsed.pathname}` };
}
