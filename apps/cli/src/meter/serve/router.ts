/** Finds the endpoint of a request, its caller, and the caller's right. */
import type { IncomingMessage } from "node:http";
import type { Answer } from "./answer.ts";
import { json } from "./answer.ts";
import { readBody } from "./body.ts";
import { getMeters, getPrices } from "./book-endpoints.ts";
import { answerClassic, isClassicImport } from "./classic-endpoints.ts";
import { type Authenticator, type Caller, type Right, type Scope, needAll } from "./caller.ts";
import { HttpError } from "./http-error.ts";
import { getInvoice, getInvoices } from "./invoice-endpoints.ts";
import { postQuery } from "./query-endpoint.ts";
import { getCoverage, getReport } from "./report-endpoints.ts";
import type { Setting } from "./setting.ts";
import { postUsage } from "./usage-endpoint.ts";

/** An endpoint with the right that it needs. */
interface Endpoint {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly right: Right;
  readonly answer: (call: Call) => Promise<Answer>;
}

/** A call with the scope of its caller. */
interface Call {
  readonly setting: Setting;
  readonly request: IncomingMessage;
  readonly search: URLSearchParams;
  readonly scope: Scope;
  readonly user: string;
}

const readReports: Right = { verb: "get", resource: "reports" };
const readInvoices: Right = { verb: "get", resource: "invoices" };
const createUsage: Right = { verb: "create", resource: "usage" };
const prefix = "/metering/v1/";

const endpoints: readonly Endpoint[] = [
  {
    name: "report",
    method: "GET",
    right: readReports,
    answer: (call) => getReport(call.setting, call.search, call.scope),
  },
  {
    name: "coverage",
    method: "GET",
    right: readReports,
    answer: (call) => getCoverage(call.setting, call.search, call.scope),
  },
  { name: "meters", method: "GET", right: readReports, answer: (call) => getMeters(call.setting, call.search) },
  {
    name: "prices",
    method: "GET",
    right: readReports,
    answer: (call) => getPrices(call.setting, call.search, call.scope),
  },
  {
    name: "invoices",
    method: "GET",
    right: readInvoices,
    answer: (call) => getInvoices(call.setting, call.search, call.scope),
  },
  {
    name: "usage",
    method: "POST",
    right: createUsage,
    answer: async (call) => {
      if (call.scope.kind === "tenants" && call.scope.tenants.length === 0)
        throw new HttpError(403, "this needs the role writer; ask an admin for access");
      return postUsage(call.setting, { ...call, body: await readBody(call.request) });
    },
  },
  {
    name: "query",
    method: "POST",
    right: readReports,
    answer: async (call) => {
      needAll(call.scope);
      return postQuery(call.setting, { ...call, body: await readBody(call.request) });
    },
  },
];

/** What the router needs beside the request. */
export interface Routing {
  readonly setting: Setting;
  readonly authenticator: Authenticator;
  /** Called for every rejected request. */
  readonly onRefused: (refused: {
    readonly user: string;
    readonly path: string;
    readonly code: number;
  }) => Promise<void>;
}

/** The name of the endpoint for metrics: of a fixed few. */
export function endpointName(path: string): string {
  if (path.startsWith(`${prefix}invoices/`)) return "invoice";
  if (path.startsWith("/api/")) return "classic";
  return endpoints.find(({ name }) => path === `${prefix}${name}`)?.name ?? "other";
}

/** Answers a request. */
export async function route(request: IncomingMessage, routing: Routing): Promise<Answer> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const open = await openPath(url.pathname, request, routing);
  if (open !== undefined) return open;
  const caller = await identify(request, routing.authenticator).catch(async (error: unknown) => {
    if (error instanceof HttpError && error.code === 401)
      await routing.onRefused({ user: "", path: url.pathname, code: 401 });
    throw error;
  });
  try {
    return await answerKnown(request, { url, caller, setting: routing.setting });
  } catch (error) {
    if (error instanceof HttpError && error.code === 403)
      await routing.onRefused({ user: caller.user, path: url.pathname, code: 403 });
    throw error;
  }
}

/** Health and metrics need no caller. */
async function openPath(path: string, request: IncomingMessage, { setting }: Routing): Promise<Answer | undefined> {
  if (!["/healthz", "/readyz", "/metrics"].includes(path)) return undefined;
  needMethod(request, "GET");
  const text = (body: string): Answer => ({
    status: 200,
    type: "text/plain; version=0.0.4; charset=utf-8",
    body: [body],
  });
  if (path === "/healthz") return text("ok\n");
  await setting.book();
  await using store = await setting.openStore();
  return text(path === "/readyz" ? "ok\n" : setting.metrics.text(store.state.watermarks, setting.now()));
}

async function identify(request: IncomingMessage, authenticator: Authenticator): Promise<Caller> {
  const [, token] = /^Bearer ([^\s]{1,16384})$/i.exec(request.headers.authorization ?? "") ?? [];
  if (token === undefined) throw new HttpError(401, "a bearer token is required: Authorization: Bearer TOKEN");
  const caller = await authenticator.callerOf(token);
  if (caller === undefined) throw new HttpError(401, "the token is not known here");
  return caller;
}

interface Known {
  readonly url: URL;
  readonly caller: Caller;
  readonly setting: Setting;
}

async function answerKnown(request: IncomingMessage, { url, caller, setting }: Known): Promise<Answer> {
  const { pathname, searchParams: search } = url;
  if (pathname.startsWith(`${prefix}invoices/`)) {
    needMethod(request, "GET");
    const id = decodePath(pathname.slice(`${prefix}invoices/`.length));
    const scope = await caller.scopeOf(readInvoices);
    return getInvoice(setting, { id, search, scope, known: request.headers["if-none-match"] });
  }
  const { classic } = setting;
  if (classic !== undefined && pathname.startsWith("/api/")) {
    needAll(await caller.scopeOf(isClassicImport(pathname) ? createUsage : readReports));
    const { method = "GET" } = request;
    const body = (): Promise<string> => readBody(request);
    return answerClassic({
      method,
      path: pathname,
      search,
      body,
      user: caller.user,
      setting,
      objects: await classic(),
    });
  }
  const endpoint = endpoints.find(({ name }) => pathname === `${prefix}${name}`);
  if (pathname === "/metering/v1" || pathname === prefix)
    return json({ endpoints: endpoints.map(({ name, method }) => `${method} ${prefix}${name}`) });
  if (endpoint === undefined)
    throw new HttpError(404, `there is nothing at ${JSON.stringify(pathname)}; see /metering/v1`);
  needMethod(request, endpoint.method);
  const scope = await caller.scopeOf(endpoint.right);
  return endpoint.answer({ setting, request, search, scope, user: caller.user });
}

function needMethod({ method = "GET" }: IncomingMessage, needed: string): void {
  if (method !== needed && !(needed === "GET" && method === "HEAD"))
    throw new HttpError(405, `${method} is not possible here; use ${needed}`);
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new HttpError(400, "the path is not encoded as a URL", { cause });
  }
}
