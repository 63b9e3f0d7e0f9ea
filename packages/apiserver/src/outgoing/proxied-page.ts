/** What comes back through a proxy: redirections and links in pages that point to the place behind it are led through it again. */
import { posix } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { isLive, type Answer, type AnswerBody } from "../answer.ts";
import { rewriteLinks } from "./html-links.ts";

/** Where a page comes from, and how it is reached. */
export interface ProxiedFrom {
  /** The path of the proxy, without a slash at its end. */
  readonly prefix: string;
  /** The place behind it, as links may name it; empty when it has no address. */
  readonly host: string;
  /** How the client calls the server. */
  readonly requestHost: string;
}

/** The answer as the client of the proxy should see it. */
export async function throughProxy(answer: Answer, from: ProxiedFrom): Promise<Answer> {
  const { headers } = answer;
  const location = textOf(headers["location"]);
  if (location !== "") return { ...answer, headers: { ...headers, location: rewriteAddress(location, from) } };
  if (textOf(headers["content-type"]).split(";")[0]?.trim() !== "text/html") return answer;
  const encoding = textOf(headers["content-encoding"]);
  if (encoding !== "" && encoding !== "gzip") return answer;
  const bytes = await collect(answer.body);
  const page = rewritePage(encoding === "gzip" ? gunzipSync(bytes) : bytes, from);
  const { "content-length": _length, ...rest } = headers;
  return { status: answer.status, headers: rest, body: encoding === "gzip" ? gzipSync(page) : page };
}

/** Pages are read as bytes: whatever alphabet they are in, tags are ASCII. */
function rewritePage(bytes: Uint8Array, from: ProxiedFrom): Uint8Array {
  const page = Buffer.from(bytes).toString("latin1");
  return Buffer.from(
    rewriteLinks(page, (address) => rewriteAddress(address, from)),
    "latin1",
  );
}

const parts = /^((?:[a-zA-Z][a-zA-Z0-9+.-]*:)?(?:\/\/([^/?#]*))?)([^?#]*)([^]*)$/;

/** Addresses with a path of the same place lead through the proxy; others, and those that are relative, stay. */
export function rewriteAddress(address: string, { prefix, host: place, requestHost }: ProxiedFrom): string {
  const [, origin = "", host = "", path = "", rest = ""] = parts.exec(address) ?? [];
  // A colon in the first part of a relative path: no address at all.
  if (origin === "" && /^[^/]*:/.test(path)) return address;
  const isElsewhere = host !== "" && host !== place && host !== requestHost;
  if (!path.startsWith("/") || isElsewhere) return `${origin}${escapePath(path)}${rest}`;
  const whole = escapePath(path.startsWith(prefix) ? path : posix.join(prefix, path));
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

function collect(body: AnswerBody): Promise<Uint8Array> | Uint8Array {
  if (!isLive(body)) return Buffer.from(body);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    body({
      write: (chunk) => void chunks.push(Buffer.from(chunk)),
      isFull: false,
      whenDrained: (callback) => callback(),
      end: () => resolve(Buffer.concat(chunks)),
    });
  });
}
