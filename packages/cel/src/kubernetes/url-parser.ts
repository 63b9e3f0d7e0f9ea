/** URLs as Go's net/url reads and writes them. */

import { codePoints, encodeUtf8, quote } from "../values/text.ts";
import { AddressError, isIpv4, parseAddress } from "./address.ts";

/** The parts of a URL. */
export interface ParsedUrl {
  readonly scheme: string;
  /** What follows the scheme of URLs such as `mailto:a@b`. */
  readonly opaque: string;
  /** User information as it was written, or undefined. */
  readonly user: string | undefined;
  readonly host: string;
  /** Whether the authority was left out, as in `file:/a`. */
  readonly omitHost: boolean;
  /** The path as it was written. */
  readonly path: string;
  readonly query: string;
  readonly forceQuery: boolean;
  readonly fragment: string;
}

/** The error of an invalid URL. */
export class UrlError extends Error {
  override readonly name = "UrlError";
}

/** A URL that is absolute or an absolute path, as requests need it. */
export function parseRequestUri(text: string): ParsedUrl {
  return worded(text, () => parseUrl(text, true, ""));
}

/** Any URL, with its fragment. */
export function parseReference(text: string): ParsedUrl {
  const hash = text.indexOf("#");
  const body = hash === -1 ? text : text.slice(0, hash);
  return worded(body, () => parseUrl(body, false, hash === -1 ? "" : text.slice(hash + 1)));
}

function worded(text: string, parse: () => ParsedUrl): ParsedUrl {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new UrlError(`parse ${quote(text)}: ${error.message}`);
  }
}

const CONTROL = /[\0-\u001f\u007f]/;

function parseUrl(text: string, viaRequest: boolean, fragment: string): ParsedUrl {
  if (CONTROL.test(text)) throw new UrlError("net/url: invalid control character in URL");
  if (text === "" && viaRequest) throw new UrlError("empty url");
  const blank = {
    scheme: "",
    opaque: "",
    user: undefined,
    host: "",
    omitHost: false,
    path: "",
    query: "",
    forceQuery: false,
    fragment,
  };
  if (text === "*") return { ...blank, path: "*" };
  const { scheme, rest: afterScheme } = splitScheme(text);
  const question = afterScheme.indexOf("?");
  const forceQuery = question !== -1 && question === afterScheme.length - 1;
  const query = question === -1 ? "" : afterScheme.slice(question + 1);
  const rest = question === -1 ? afterScheme : afterScheme.slice(0, question);
  const head = { ...blank, scheme, query, forceQuery };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...head, opaque: rest };
    refuseRelative(rest, viaRequest);
  }
  return parseHierarchy(head, rest, viaRequest);
}

function refuseRelative(rest: string, viaRequest: boolean): void {
  if (viaRequest) throw new UrlError("invalid URI for request");
  if (rest.split("/", 1)[0]?.includes(":")) throw new UrlError("first path segment in URL cannot contain colon");
}

function parseHierarchy(head: ParsedUrl, rest: string, viaRequest: boolean): ParsedUrl {
  const hasAuthority = rest.startsWith("//") && (head.scheme !== "" || (!viaRequest && !rest.startsWith("///")));
  if (!hasAuthority) {
    unescape(rest, "path");
    return { ...head, omitHost: head.scheme !== "" && rest.startsWith("/"), path: rest };
  }
  const slash = rest.indexOf("/", 2);
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
  const path = slash === -1 ? "" : rest.slice(slash);
  const at = authority.lastIndexOf("@");
  const host = parseHost(head.scheme, authority.slice(at + 1));
  const user = at === -1 ? undefined : checkUser(authority.slice(0, at));
  unescape(path, "path");
  return { ...head, user, host, path };
}

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(":")) throw new UrlError("missing protocol scheme");
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  if (!found) return { scheme: "", rest: text };
  return { scheme: (found[1] ?? "").toLowerCase(), rest: text.slice(found[0].length) };
}

function checkUser(user: string): string {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlError("net/url: invalid userinfo");
  for (const part of user.split(":", 2)) unescape(part, "user");
  return user;
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf("[");
  if (open > 0) throw new UrlError("invalid IP-literal");
  if (open === 0) return parseIpLiteral(host);
  const first = host.indexOf(":");
  const strict = scheme === "http" || scheme === "https";
  const colon = strict ? first : host.lastIndexOf(":");
  if (colon !== -1) checkPort(host.slice(colon));
  return unescape(host, "host");
}

function parseIpLiteral(host: string): string {
  const close = host.lastIndexOf("]");
  if (close === -1) throw new UrlError("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const name = unescape(host.slice(1, close), "host");
  try {
    if (isIpv4(parseAddress(name))) throw new UrlError("invalid IP-literal");
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new UrlError(`invalid host: ${error.message}`);
  }
  return `[${name}]${port}`;
}

function checkPort(port: string): void {
  if (!/^(:[0-9]*)?$/.test(port)) throw new UrlError(`invalid port ${quote(port)} after host`);
}

type Mode = "path" | "host" | "user" | "query";

/** Characters that stand for themselves in a host. */
const HOST = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]*$/u;

/** Replaces `%41` and its kin; a malformed one is an error. */
function unescape(text: string, mode: Mode): string {
  const bad = /%(?![0-9a-fA-F]{2})/.exec(text);
  const badHost = mode === "host" ? /%(?!25)[0-7][0-9a-fA-F]/.exec(text) : null;
  if (bad && (!badHost || bad.index <= badHost.index)) throw escapeError(text.slice(bad.index, bad.index + 3));
  if (badHost) throw escapeError(badHost[0]);
  if (mode === "host" && !HOST.test(text)) {
    const char = codePoints(text).find((candidate) => !HOST.test(candidate)) ?? "";
    throw new UrlError(`invalid character ${quote(char)} in host name`);
  }
  const plain = mode === "query" ? text.replaceAll("+", " ") : text;
  return plain.includes("%") ? decodePercent(plain) : plain;
}

function escapeError(text: string): UrlError {
  return new UrlError(`invalid URL escape ${quote(text)}`);
}

function decodePercent(text: string): string {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "%") {
      bytes.push(Number.parseInt(text.slice(index + 1, index + 3), 16));
      index += 2;
      continue;
    }
    const char = String.fromCodePoint(text.codePointAt(index) ?? 0);
    bytes.push(...encodeUtf8(char));
    index += char.length - 1;
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function escapeWith(text: string, keep: RegExp): string {
  let escaped = "";
  for (const char of text) {
    if (keep.test(char)) escaped += char;
    else for (const byte of encodeUtf8(char)) escaped += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return escaped;
}

const PATH = /^[A-Za-z0-9\-_.~$&+,/:;=@]$/;
const VALID_PATH = /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/;

/** The original path if it was properly escaped, otherwise escaped again. */
export function escapedPath(url: ParsedUrl): string {
  if (url.path === "*" || VALID_PATH.test(url.path)) return url.path;
  return escapeWith(unescape(url.path, "path"), PATH);
}

/** Host name and port, without brackets. */
export function splitHost(url: ParsedUrl): { readonly hostname: string; readonly port: string } {
  const colon = url.host.lastIndexOf(":");
  const hasPort = colon !== -1 && /^:[0-9]*$/.test(url.host.slice(colon));
  const host = hasPort ? url.host.slice(0, colon) : url.host;
  const hostname = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  return { hostname, port: hasPort ? url.host.slice(colon + 1) : "" };
}

/** The query as lists of values by name; what cannot be decoded is left out. */
export function queryValues(url: ParsedUrl): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const pair of url.query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    try {
      const name = unescape(equals === -1 ? pair : pair.slice(0, equals), "query");
      const value = unescape(equals === -1 ? "" : pair.slice(equals + 1), "query");
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    } catch (error) {
      if (!(error instanceof UrlError)) throw error;
    }
  }
  return values;
}

const HOST_CHAR = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]$/;

/** The URL put together again. */
export function formatUrl(url: ParsedUrl): string {
  const scheme = url.scheme === "" ? "" : `${url.scheme}:`;
  const query = url.forceQuery || url.query !== "" ? `?${url.query}` : "";
  const fragment = url.fragment === "" ? "" : `#${escapedFragment(url.fragment)}`;
  return `${scheme}${url.opaque === "" ? hierarchy(url) : url.opaque}${query}${fragment}`;
}

const VALID_FRAGMENT = /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%?]*$/;

function escapedFragment(fragment: string): string {
  if (VALID_FRAGMENT.test(fragment)) return fragment;
  return escapeWith(unescape(fragment, "path"), /^[A-Za-z0-9\-_.~$&+,/:;=@?!'()*]$/);
}

function hierarchy(url: ParsedUrl): string {
  const path = escapedPath(url);
  const bare = url.host === "" && url.user === undefined;
  if ((url.scheme === "" && bare) || (url.omitHost && bare)) return path;
  const slashes = !bare || path !== "" ? "//" : "";
  const user = url.user === undefined ? "" : `${url.user}@`;
  return `${slashes}${user}${escapeWith(url.host, HOST_CHAR)}${path}`;
}
