/** The static table of HPACK (RFC 7541, appendix A). */

/** A header field: its name and its value. */
export type Field = readonly [name: string, value: string];

const FIELDS = `:authority
:method GET
:method POST
:path /
:path /index.html
:scheme http
:scheme https
:status 200
:status 204
:status 206
:status 304
:status 400
:status 404
:status 500
accept-charset
accept-encoding gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate`;

/** The fields in order; the first has index 1. */
export const staticTable: readonly Field[] = FIELDS.split("\n").map((line): Field => {
  const space = line.indexOf(" ");
  return space < 0 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
});

/** The index of the first field with a name. */
export const staticNames: ReadonlyMap<string, number> = new Map(
  staticTable.map(([name], at) => [name, at + 1] as const).reverse(),
);

/** The size of a field in a table (RFC 7541, section 4.1). */
export function sizeOf(name: string, value: string): number {
  return name.length + value.length + 32;
}
