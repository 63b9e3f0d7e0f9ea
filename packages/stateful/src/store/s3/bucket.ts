/** Signed requests to one bucket, with retries and StoreErrors. */
import { Agent as PlainAgent, request as requestPlain } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import { Agent as SecureAgent, request as requestSecure } from "node:https";
import type { Clock } from "@capstan/runtime";
import { readUpTo, reasonOf, StoreError } from "../store.ts";
import type { StoreErrorCode } from "../store.ts";
import { escapePath, formatQuery, sha256, sign } from "./signature.ts";
import type { Credentials } from "./signature.ts";
import { textOf } from "./xml.ts";

export interface BucketOptions {
  /** `https://host:port`. Default: Amazon S3 in the region. */
  readonly endpoint?: string;
  readonly region: string;
  readonly bucket: string;
  readonly credentials: Credentials;
  /** The bucket is in the path, not in the host name. */
  readonly pathStyle?: boolean;
  /** Certificate authority of the server, PEM. */
  readonly ca?: string;
  readonly clock: Clock;
  readonly random: () => number;
}

/** One request about an object, or about the bucket when no key is given. */
export interface BucketRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE" | "HEAD";
  readonly key?: string;
  readonly query?: readonly (readonly [string, string])[];
  readonly body?: Buffer;
  readonly signal?: AbortSignal | undefined;
}

export interface Bucket extends Disposable {
  readonly place: string;
  /** The response of a successful request, not read yet. */
  send(request: BucketRequest): Promise<IncomingMessage>;
  /** The same, with the body read. */
  ask(request: BucketRequest): Promise<{ readonly headers: IncomingMessage["headers"]; readonly text: string }>;
}

const ATTEMPTS = 5;
const FIRST_DELAY = 200;
/** A server that sends nothing for this time counts as unreachable. */
const SILENCE = 60_000;

/** Opens a bucket without a request. */
export function openBucket(options: BucketOptions): Bucket {
  const base = new URL(options.endpoint ?? `https://s3.${options.region}.amazonaws.com`);
  const isSecure = base.protocol === "https:";
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true, maxSockets: 4, ...(options.ca ? { ca: options.ca } : {}) })
    : new PlainAgent({ keepAlive: true, maxSockets: 4 });
  const host = options.pathStyle === false ? `${options.bucket}.${base.host}` : base.host;
  const root = `${base.pathname.replace(/\/$/, "")}${options.pathStyle === false ? "" : `/${options.bucket}`}`;

  const send = async (desired: BucketRequest): Promise<IncomingMessage> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendOnce(desired);
      } catch (error) {
        if (!isWorthAnother(error) || attempt >= ATTEMPTS || desired.signal?.aborted)
          throw toStoreError(error, desired);
        const delay = FIRST_DELAY * 2 ** (attempt - 1) * (0.5 + options.random());
        await pause(options.clock, delay, desired.signal);
      }
    }
  };
  const sendOnce = async (desired: BucketRequest): Promise<IncomingMessage> => {
    const { method, key = "", query = [], body } = desired;
    const path = escapePath(key === "" ? root || "/" : `${root}/${key}`);
    const headers = {
      host,
      ...(body ? { "content-length": String(body.length) } : {}),
    };
    const bodyHash = sha256(body ?? "");
    const time = new Date(options.clock.wall());
    const signed = sign({ method, path, query, headers, bodyHash, region: options.region, time }, options.credentials);
    const full = query.length > 0 ? `${path}?${formatQuery(query)}` : path;
    const target: RequestOptions = {
      method,
      host: host.replace(/:\d+$/, ""),
      port: base.port,
      path: full,
      headers: signed,
      agent,
    };
    const answer = await exchange(isSecure ? requestSecure : requestPlain, { ...target, ...signalOf(desired) }, body);
    if ((answer.statusCode ?? 500) < 300) return answer;
    throw await toAnswerError(answer);
  };
  return {
    place: `${base.origin}/${options.bucket}`,
    send,
    ask: async (desired) => {
      const answer = await send(desired);
      return { headers: answer.headers, text: await readAnswer(answer) };
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** No list of 1,000 objects with names of 1,024 characters is longer. */
const LARGEST_ANSWER = 16 << 20;
const LARGEST_ERROR = 64 << 10;
const LONGEST_MESSAGE = 500;

async function readAnswer(answer: IncomingMessage): Promise<string> {
  const read = await readUpTo(answer, LARGEST_ANSWER).catch((cause: unknown) => {
    throw new StoreError("Unreachable", `the store's answer broke off: ${reasonOf(cause)}`, { cause });
  });
  if (read !== undefined) return read.toString("utf8");
  throw new StoreError("Malformed", `the store's answer has more than ${LARGEST_ANSWER} bytes; do not trust it`);
}

/** A response with an error status. */
class AnswerError extends Error {
  override readonly name = "AnswerError";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

function exchange(
  send: typeof requestPlain,
  options: RequestOptions,
  body: Buffer | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = send(options);
    request.setTimeout(SILENCE, () => request.destroy(new Error(`no answer for ${SILENCE / 1000} s`)));
    request.once("response", resolve);
    request.once("error", reject);
    request.end(body);
  });
}

async function toAnswerError(answer: IncomingMessage): Promise<AnswerError> {
  const text = (await readUpTo(answer, LARGEST_ERROR))?.toString("utf8") ?? "";
  const status = answer.statusCode ?? 500;
  const code = textOf(text, "Code") ?? "";
  const message = textOf(text, "Message")?.slice(0, LONGEST_MESSAGE) ?? `HTTP status ${status}`;
  return new AnswerError(status, code.slice(0, LONGEST_MESSAGE), message);
}

function signalOf({ signal }: BucketRequest): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}

/** Temporary errors and clock skew are retried. Other responses are final. */
function isWorthAnother(error: unknown): boolean {
  if (!(error instanceof AnswerError)) return !isAbort(error) && !isCertificateTrouble(error);
  return error.status >= 500 || error.status === 429 || error.status === 408;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** A certificate error is not fixed by a retry. */
function isCertificateTrouble(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /CERT|SIGNED|SIGNATURE|^ERR_TLS|^ERR_SSL|ALTNAME/.test(code);
}

const CODES: ReadonlyMap<string, StoreErrorCode> = new Map([
  ["NoSuchBucket", "NoPlace"],
  ["NoSuchKey", "NotFound"],
  ["AccessDenied", "Denied"],
  ["InvalidAccessKeyId", "Denied"],
  ["SignatureDoesNotMatch", "Denied"],
  ["ExpiredToken", "Denied"],
  // Versity's code for an unknown access key.
  ["XAdminUserNotFound", "Denied"],
  ["RequestTimeTooSkewed", "Denied"],
  ["QuotaExceeded", "Full"],
  ["XMinioStorageFull", "Full"],
  ["InsufficientStorage", "Full"],
]);

function toStoreError(error: unknown, { method, key = "" }: BucketRequest): StoreError {
  const what = `could not ${method} ${key === "" ? "the bucket" : key}`;
  if (error instanceof AnswerError) {
    const code = CODES.get(error.code) ?? codeOfStatus(error.status);
    return new StoreError(code, `${what}: the store says ${error.code || error.status}: ${error.message}`, {
      cause: error,
    });
  }
  const code = isAbort(error) ? "Aborted" : "Unreachable";
  const advice = code === "Aborted" ? "" : "; check the endpoint, the network and the certificate authority";
  return new StoreError(code, `${what}: ${reasonOf(error)}${advice}`, { cause: error });
}

function codeOfStatus(status: number): StoreErrorCode {
  if (status === 404) return "NotFound";
  if (status === 401 || status === 403) return "Denied";
  return status === 507 ? "Full" : "Refused";
}

function pause(clock: Clock, delay: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = clock.later(delay, finish);
    signal?.addEventListener("abort", finish, { once: true });
  });
}
