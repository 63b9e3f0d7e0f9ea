/** Gets a document over HTTP: unpacked, limited in size, with every broken connection as one error. */
import { get as getPlain, type IncomingMessage } from "node:http";
import { get as getSecure } from "node:https";
import { createGunzip } from "node:zlib";
import { MeterError } from "../error.ts";

/** A response that arrived whole. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** How a document is fetched. */
export interface GetOptions {
  readonly headers: { readonly [name: string]: string };
  /** The authorities of the server, as PEM. */
  readonly ca?: string;
  /** The largest body, after unpacking. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** The server did not answer, or not to the end. */
export class BrokenConnection extends Error {
  override readonly name = "BrokenConnection";
}

/** The body is larger than allowed. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

const patience = 120_000;

/** Gets a document. */
export async function getDocument(url: URL, options: GetOptions): Promise<Answer> {
  const response = await open(url, options);
  try {
    return { status: response.statusCode ?? 0, text: await readBody(response, options.maxBytes) };
  } catch (cause) {
    if (cause instanceof TooLarge || options.signal?.aborted === true) throw cause;
    throw new BrokenConnection(`the connection broke: ${messageOf(cause)}`, { cause });
  } finally {
    response.destroy();
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function open(url: URL, { headers, ca, signal }: GetOptions): Promise<IncomingMessage> {
  const settings = {
    headers: { accept: "application/json", "accept-encoding": "gzip", ...headers },
    timeout: patience,
    ...(ca !== undefined && { ca }),
    ...(signal !== undefined && { signal }),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? getSecure(url, settings, resolve) : getPlain(url, settings, resolve);
    request.on("timeout", () => request.destroy(new Error("no response in time")));
    request.on("error", (cause) => {
      if (isUntrusted(cause)) reject(untrusted(url, cause));
      else reject(signal?.aborted === true ? cause : new BrokenConnection(messageOf(cause), { cause }));
    });
  });
}

function isUntrusted(cause: Error): boolean {
  const code = "code" in cause ? String(cause.code) : "";
  return /^(?:ERR_TLS|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/.test(code);
}

function untrusted({ host }: URL, cause: Error): MeterError {
  return new MeterError(
    "Unreachable",
    `the certificate of ${host} is not trusted: ${cause.message}; give its authority with --ca-file`,
    { cause },
  );
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  const isPacked = response.headers["content-encoding"] === "gzip";
  const unpacker = isPacked ? createGunzip() : undefined;
  if (unpacker !== undefined) {
    response.on("error", (cause) => unpacker.destroy(cause));
    response.pipe(unpacker);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  // Without an encoding the stream emits bytes.
  for await (const chunk of (unpacker ?? response) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLarge(`the body has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  if (!response.complete) throw new Error("the body ended early");
  return Buffer.concat(chunks).toString("utf8");
}
