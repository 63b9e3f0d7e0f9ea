/** Responses through a proxy: redirects and links that point to the backend are rewritten to the proxy path. */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { isLive, type Answer } from "../answer.ts";
import { collectBody } from "./collect-body.ts";
import { cleanPath } from "./go-address.ts";
import { rewriteLinks } from "./html-links.ts";

/** Longer pages, compressed or not, pass unchanged, so that one page cannot fill the memory. */
export const largestPage: number = 4 * 1024 * 1024;

/** The backend of a page, and the proxy path to it. */
export interface ProxiedFrom {
  /** The path of the proxy, without a slash at the end. */
  readonly prefix: string;
  /** The host of the backend in links; empty if it has no address. */
  readonly host: string;
  /** The host by which the client reached the server. */
  readonly requestHost: string;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal;
}

/** The rewritten response for the client. */
export async function throughProxy(answer: Answer, from: ProxiedFrom): Promise<Answer> {
  const { headers } = answer;
  const location = textOf(headers["location"]);
  if (location !== "") return { ...answer, headers: { ...headers, location: rewriteAddress(location, from) } };
  if (textOf(headers["content-type"]).split(";")[0]?.trim() !== "text/html") return answer;
  const encoding = textOf(headers["content-encoding"]);
  if (encoding !== "" && encoding !== "gzip") return answer;
  const { body } = answer;
  const read = isLive(body) ? await collectBody(body, { bytes: largestPage, signal: from.signal }) : Buffer.from(body);
  if (isLive(read) || read.length > largestPage) return { ...answer, body: read };
  const page = encoding === "gzip" ? await unpack(read) : read;
  if (page === undefined) return { ...answer, body: read };
  const rewritten = await rewritePage(page, from);
  const { "content-length": _length, ...rest } = headers;
  return { status: answer.status, headers: rest, body: encoding === "gzip" ? await pack(rewritten) : rewritten };
}

/** Runs outside of the event loop. */
const pack = promisify(gzip);

/** Decompresses up to the limit; `undefined` if the page is longer or not compressed as declared. */
async function unpack(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: largestPage });
  } catch {
    return undefined;
  }
}

/** Pages are read as bytes: in all supported encodings, tags are ASCII. */
async function rewritePage(bytes: Uint8Array, from: ProxiedFrom): Promise<Uint8Array> {
  const rewriting = rewriteLinks(Buffer.from(bytes).toString("latin1"), (address) => rewriteAddress(address, from));
  for (;;) {
    const { done, value } = rewriting.next();
    if (done === true) return Buffer.from(value, "latin1");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const parts = /^((?:[a-zA-Z][a-zA-Z0-9+.-]*:)?(?:\/\/([^/?#]*))?)([^?#]*)([^]*)$/;

/** Absolute paths and URLs of the same host are rewritten to the proxy; other and relative addresses stay. */
export function rewriteAddress(address: string, { prefix, host: place, requestHost }: ProxiedFrom): string {
  const [, origin = "", host = "", path = "", rest = ""] = parts.exec(address) ?? [];
  // A relative path with a colon in its first segment is not a valid address.
  if (origin === "" && /^[^/]*:/.test(path)) return address;
  const isElsewhere = host !== "" && host !== place && host !== requestHost;
  if (!path.startsWith("/") || isElsewhere) return `${origin}${escapePath(path)}${rest}`;
  const whole = escapePath(path.startsWith(prefix) ? path : cleanPath(`${prefix}/${path}`));
  return `${host !== "" && host === requestHost ? origin : ""}${whole}${rest}`;
}

/** Escapes a path that is not properly escaped. */
function escapePath(path: string): string {
  if (/^[A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]*$/.test(path)) return path;
  return path.replaceAll(/[^A-Za-z0-9$&+,/:;=@\-_.~%]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return [...Buffer.from(character, "latin1")]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

function textOf(header: string | string[] | undefined): string {
  return (typeof header === "string" ? header : header?.[0]) ?? "";
}
