/** Asks a Prometheus server: repeats what failed, and says which ranges are too large. */
import { MeterError } from "../error.ts";
import { type Answer, BrokenConnection, getDocument, type GetOptions, TooLarge } from "./http.ts";

/** One series with its samples, values as text. */
export interface Series {
  readonly labels: { readonly [name: string]: string };
  readonly samples: readonly { readonly at: number; readonly value: string }[];
}

/** The response to a query. */
export interface Found {
  readonly series: readonly Series[];
  /** The response may lack data. */
  readonly warnings: readonly string[];
}

/** A server, and how it is asked. */
export interface Server {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly ca?: string;
  /** How often a failed request is repeated. */
  readonly retries: number;
  /** Waits between attempts. */
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** The range of a query has too much data: ask for a shorter one. */
export class RangeTooLarge extends Error {
  override readonly name = "RangeTooLarge";
}

const maxBytes = 64 * 1024 * 1024;
const firstPause = 100;
const longestPause = 10_000;

/** Asks for a matrix. */
export async function askMatrix(
  server: Server,
  path: "query" | "query_range",
  parameters: { readonly [name: string]: string },
): Promise<Found> {
  const url = addressOf(server.url, path);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  let failure: Error | undefined;
  for (let attempt = 0; attempt <= server.retries; attempt++) {
    if (attempt > 0) await server.pause(Math.min(longestPause, firstPause * 2 ** (attempt - 1)));
    const outcome = await attemptOnce(url, server);
    if (!(outcome instanceof Error)) return outcome;
    failure = outcome;
  }
  throw new MeterError(
    "Unreachable",
    `${server.url} cannot be read: ${failure?.message ?? "no attempt"}; all before is kept, run the same command again`,
    { cause: failure },
  );
}

function addressOf(base: string, path: string): URL {
  try {
    const whole = new URL(base);
    whole.pathname = `${whole.pathname.endsWith("/") ? whole.pathname.slice(0, -1) : whole.pathname}/api/v1/${path}`;
    return whole;
  } catch (cause) {
    throw new MeterError("BadInput", `${JSON.stringify(base)} is not a URL; write http://HOST:9090`, { cause });
  }
}

/** The response; an error that is worth another attempt. */
async function attemptOnce(url: URL, { headers, ca, signal }: Server): Promise<Found | Error> {
  const options: GetOptions = {
    headers,
    maxBytes,
    ...(ca !== undefined && { ca }),
    ...(signal !== undefined && { signal }),
  };
  try {
    return readAnswer(await getDocument(url, options));
  } catch (error) {
    if (error instanceof BrokenConnection) return error;
    if (error instanceof TooLarge) throw new RangeTooLarge(error.message, { cause: error });
    throw error;
  }
}

function readAnswer({ status, text }: Answer): Found | Error {
  if (status === 422) throw new RangeTooLarge(problemOf(text));
  if (status >= 500 || status === 429) return new Error(`HTTP ${status}: ${problemOf(text)}`);
  if (status === 401 || status === 403)
    throw new MeterError(
      "Unreachable",
      `the server refuses the request (HTTP ${status}); give --bearer-token-file or --header`,
    );
  if (status !== 200)
    throw new MeterError("BadInput", `the server does not take the query (HTTP ${status}): ${problemOf(text)}`);
  return toFound(text);
}

function problemOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    if (typeof error === "string") return error;
  } catch {
    // A proxy in front of the server writes other texts.
  }
  return text.trim().slice(0, 200) || "no message";
}

interface Received {
  readonly status?: string;
  readonly warnings?: readonly string[];
  readonly data?: {
    readonly resultType?: string;
    readonly result?: readonly {
      readonly metric?: { readonly [name: string]: string };
      readonly values?: readonly (readonly [number, string])[];
    }[];
  };
}

function toFound(text: string): Found | Error {
  let received: Received;
  try {
    received = JSON.parse(text) as Received;
  } catch (cause) {
    return new Error("the response is not JSON", { cause });
  }
  const { status, data, warnings = [] } = received;
  if (status !== "success") return new Error(`the response has the status ${JSON.stringify(status)}`);
  if (data?.resultType !== "matrix" || data.result === undefined)
    throw new MeterError(
      "BadInput",
      `the query gives ${data?.resultType ?? "nothing"}, not a matrix: a counter needs a plain selector such as http_requests_total{job="api"}`,
    );
  const series = data.result.map(({ metric = {}, values = [] }) => ({
    labels: metric,
    samples: values.map(([at, value]) => ({ at: Math.round(at * 1000), value })),
  }));
  return { series, warnings };
}
