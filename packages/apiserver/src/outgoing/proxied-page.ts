/** What comes back through a proxy: redirections and links in pages that point to the place behind it are led through it again. */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { isLive, type Answer } from "../answer.ts";
import { collectBody } from "./collect-body.ts";
import { cleanPath } from "./go-address.ts";
import { rewriteLinks } from "./html-links.ts";

/** Longer pages, packed or unpacked, pass as they are, so that one page cannot fill the memory. */
export const largestPage: number = 4 * 1024 * 1024;

/** Where a page comes from, and how it is reached. */
export interface ProxiedFrom {
  /** The path of the proxy, without a slash at its end. */
  readonly prefix: string;
  /** The place behind it, as links may name it; empty when it has no address. */
  readonly host: string;
  /** How the client calls the server. */
  readonly requestHost: string;
  /** Aborted when the client goes away. */
  readonly signal?: AbortSignal;
}

/** The answer as the client of the proxy should see it. */
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

/** Not on the thread of the event loop. */
const pack = promisify(gzip);

/** Stops at the bound; `undefined` when the page is longer, or is not packed as it says. */
async function unpack(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: largestPage });
  } catch {
    return undefined;
  }
}

/** Pages are read as bytes: whatever alphabet they are in, tags are ASCII. */
async function rewritePage(bytes: Uint8Array, from: ProxiedFrom): Promise<Uint8Array> {
  const rewriting = rewriteLinks(Buffer.from(bytes).toString("latin1"), (address) => rewriteAddress(address, from));
  for (;;) {
    const { done, value } = rewriting.next();
    if (done === true) return Buffer.from(value, "latin1");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const parts = /^((?:[a-zA-Z][a-zA-Z0-9+.-]*:)?(?:\/\/([^/?#]*))?)([^?#]*)([^]*)$/;

/** Addresses with a path of the same place lead through the proxy; others, and those that are relative, stay. */
export function rewriteAddress(address: string, { prefix, host: place, requestHost }: ProxiedFrom): string {
  const [, origin = "", host = "", path = "", rest = ""] = parts.exec(address) ?? [];
  // A colon in the first part of a relative path: no address at all.
  if (origin === "" && /^[^/]*:/.test(path)) return address;
  const isElsewhere = host !== "" && host !== place && host !== requestHost;
  if (!path.startsWith("/") || isElsewhere) return `${origin}${escapePath(path)}${rest}`;
  const whole = escapePath(path.startsWith(prefix) ? path : cleanPath(`${prefix}/${path}`));
  return `${host !== "" && host === requestHost ? origin : ""}${whole}${rest}`;
}

/** Paths that are not written as they should be are written anew. */
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
