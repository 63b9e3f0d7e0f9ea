/** A server that answers as Prometheus does, from samples in memory; tests choose its faults. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** A series: seconds and values. */
export interface FakeSeries {
  readonly metric: { readonly [name: string]: string };
  readonly values: readonly (readonly [number, string])[];
}

/** How the next requests fail: a status, a cut connection, or data that may be missing. */
export type Fault = { readonly status: number } | "cut" | "warn" | "large";

/** A running server. */
export interface FakePrometheus extends AsyncDisposable {
  readonly url: string;
  series: readonly FakeSeries[];
  /** The fault of a request; undefined for none. */
  fault: (query: URLSearchParams, count: number) => Fault | undefined;
  readonly requests: { readonly path: string; readonly query: URLSearchParams; readonly headers: object }[];
}

/** Starts a server on a free port. */
export async function startFakePrometheus(series: readonly FakeSeries[]): Promise<FakePrometheus> {
  const server = createServer((request, response) => answer(fake, request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakePrometheus = {
    url: `http://127.0.0.1:${port}`,
    series,
    fault: () => undefined,
    requests: [],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

function answer(fake: FakePrometheus, { url = "", headers }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams: query } = new URL(url, "http://fake");
  fake.requests.push({ path: pathname, query, headers });
  const fault = fake.fault(query, fake.requests.length);
  if (fault === "cut") {
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"status":');
    response.destroy();
    return;
  }
  if (typeof fault === "object") {
    response.writeHead(fault.status).end(JSON.stringify({ status: "error", error: `fault ${fault.status}` }));
    return;
  }
  const result = pathname.endsWith("query_range") ? stepped(fake, query) : raw(fake, query);
  const body = {
    status: "success",
    data: { resultType: "matrix", result },
    ...(fault === "warn" && { warnings: ["a store is not there"] }),
    ...(fault === "large" && { padding: "x".repeat(65 * 1024 * 1024) }),
  };
  response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(JSON.stringify(body), { level: 1 }));
}

function stepped({ series }: FakePrometheus, query: URLSearchParams): unknown[] {
  const [start, end, step] = ["start", "end", "step"].map((name) => Number(query.get(name)));
  const isAsked = (at: number): boolean =>
    at >= (start ?? 0) && at <= (end ?? 0) && (at - (start ?? 0)) % (step ?? 1) === 0;
  return series.map(({ metric, values }) => ({ metric, values: values.filter(([at]) => isAsked(at)) }));
}

function raw({ series }: FakePrometheus, query: URLSearchParams): unknown[] {
  const end = Number(query.get("time"));
  const range = Number(/\[(\d+)s\]$/.exec(query.get("query") ?? "")?.[1]);
  const isAsked = (at: number): boolean => at >= end - range && at <= end;
  return series
    .map(({ metric, values }) => ({ metric, values: values.filter(([at]) => isAsked(at)) }))
    .filter(({ values }) => values.length > 0);
}
