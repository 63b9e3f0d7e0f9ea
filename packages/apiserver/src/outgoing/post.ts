/** Posts a document to a webhook as client-go does: follows redirects and retries on Retry-After. */
import { quote } from "@capstan/model";
import type { Clock } from "../clock.ts";
import { OutgoingError, type OutgoingAnswer, type OutgoingCall, type OutgoingCaller } from "./outgoing.ts";

export interface Posting extends Pick<OutgoingCall, "url" | "headers" | "body" | "authority" | "connectTo"> {
  /** Timeout in milliseconds. */
  readonly patience: number;
}

/** The caller and the clock. */
export interface PostServices {
  readonly call: OutgoingCaller;
  readonly after: Clock["later"];
}

/** The last response, or the error in the words of Go's client. */
export async function post(posting: Posting, { call, after }: PostServices): Promise<OutgoingAnswer | string> {
  const late = new AbortController();
  const timer = after(posting.patience, () => late.abort());
  const { patience: _patience, ...rest } = posting;
  try {
    return await insist({ method: "POST", ...rest, signal: late.signal }, { call, after });
  } finally {
    timer.cancel();
  }
}

const mostRepetitions = 10;

/** Retries while the response has a Retry-After header. */
async function insist(asked: Asked, services: PostServices): Promise<OutgoingAnswer | string> {
  for (let repetition = 0; ; repetition++) {
    const answer = await follow(asked, services.call);
    const seconds = typeof answer === "string" ? undefined : retryAfter(answer);
    if (seconds === undefined || repetition === mostRepetitions) return answer;
    await pause(seconds * 1000, services.after, asked.signal);
    if (asked.signal.aborted) return failed(asked.url, deadline);
  }
}

interface Asked extends OutgoingCall {
  readonly signal: AbortSignal;
}

const deadline = "context deadline exceeded";

function failed(url: string, why: string): string {
  return `Post ${quote(url)}: ${why}`;
}

/** The seconds until the retry; `undefined` if the response is final. */
function retryAfter({ status, headers }: OutgoingAnswer): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const text = String(headers["retry-after"] ?? "");
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

function pause(milliseconds: number, after: Clock["later"], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || milliseconds <= 0) return resolve();
    const timer = after(milliseconds, resolve);
    signal.addEventListener("abort", () => {
      timer.cancel();
      resolve();
    });
  });
}

const mostCalls = 10;

/** One call and its redirects. */
async function follow(asked: Asked, send: OutgoingCaller): Promise<OutgoingAnswer | string> {
  let call = asked;
  for (let calls = 1; ; calls++) {
    const answer = await attempt(call, send);
    if (typeof answer === "string") return answer;
    const location = redirection(answer);
    if (location === undefined) return answer;
    if (calls === mostCalls) return failed(location, `stopped after ${mostCalls} redirects`);
    call = redirected(call, answer.status, location);
  }
}

async function attempt(call: Asked, send: OutgoingCaller): Promise<OutgoingAnswer | string> {
  try {
    return await send(call);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return failed(call.url, call.signal.aborted ? deadline : error.message);
  }
}

/** The Location of a redirect. */
function redirection({ status, headers }: OutgoingAnswer): string | undefined {
  const location = String(headers["location"] ?? "");
  return location === "" || ![301, 302, 303, 307, 308].includes(status) ? undefined : location;
}

/** Only 307 and 308 keep the method and the body. */
function redirected(call: Asked, status: number, location: string): Asked {
  const url = new URL(location, call.url);
  const { connectTo, body, ...rest } = call;
  return {
    ...rest,
    url: url.href,
    ...(status < 307 ? { method: "GET" } : body === undefined ? {} : { body }),
    ...(connectTo !== undefined && url.host === new URL(call.url).host ? { connectTo } : {}),
  };
}
