/** Shell commands that back up and restore a PostgreSQL database, without the password. */
export function toPostgresCommands(
  url: string,
  file: string,
): { readonly backup: string; readonly restore: string } {
  const address = new URL(url);
  const hadPassword = address.password !== '';
  address.password = '';
  const database = quote(address.href);
  const password = hadPassword ? "PGPASSWORD='…' " : '';
  return {
    backup: `${password}pg_dump --format=custom --file=${quote(file)} --dbname=${database}`,
    restore: `${password}pg_restore --clean --if-exists --no-owner --single-transaction --dbname=${database} ${quote(file)}`,
  };
}

function quote(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
