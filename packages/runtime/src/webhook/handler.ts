/** Serves an API server's calls: a function from Request to Response, for every webhook and conversion of some resources. */
import type { Resource } from "@capstan/schema";
import type { Clock } from "../clock.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import { defaulting, validating } from "./admit.ts";
import type { Admit } from "./admit.ts";
import { converting } from "./convert.ts";
import { WebhookError } from "./errors.ts";
import type { WebhookErrorCode } from "./errors.ts";
import type { WebhookMeter } from "./meter.ts";
import { CONVERT_PATH, hookPath, isConverted } from "./paths.ts";
import type { ChosenPaths } from "./paths.ts";
import { readAdmissionReview, readConversionReview, writeAdmissionReview, writeConversionReview } from "./review.ts";

/** Handles one call. */
export type WebhookHandler = (request: Request) => Promise<Response>;

export interface HandlerOptions {
  readonly resources: readonly Resource[];
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: WebhookMeter;
  /** The paths of webhooks, if they differ from the defaults. */
  readonly paths?: ChosenPaths | undefined;
}

/** A handler for all webhooks and conversions of some resources. */
export function webhookHandler(options: HandlerOptions): WebhookHandler {
  const { clock, log, meter } = options;
  const routes = routesOf(options);
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const route = routes.get(pathname);
    if (route === undefined) return text(404, `There is no webhook at ${pathname}.`);
    const start = clock.now();
    const ended = meter.began(pathname);
    const limit = { clock, ms: patienceOf(searchParams.get("timeout")) };
    const response = await inTime((signal) => answer(route, request, signal), limit, request.signal).catch(
      (error: unknown) => refuse(error, { log, meter, pathname }),
    );
    ended(response.status, (clock.now() - start) / 1000);
    return response;
  };
}

/** The API server's timeout, as sent with each call (`?timeout=5s`), at most 30 s; a little less, so that it still gets the error. */
function patienceOf(said: string | null): number {
  const [, seconds = "10"] = /^(\d+)s$/u.exec(said ?? "") ?? [];
  return Math.min(Number(seconds), 30) * 900;
}

/** A late response is useless: the call ends with an error, nothing is kept for it, and its function is aborted. */
async function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, ms }: { readonly clock: Clock; readonly ms: number },
  hungUp: AbortSignal,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const stop = new AbortController();
  const end = (reason: unknown): void => {
    late.reject(reason);
    stop.abort(reason);
  };
  const onHungUp = (): void => end(new WebhookError("TooSlow", "The API server hung up before the hook had answered."));
  const timer = clock.later(ms, () => {
    const message = `The hook did not answer within ${ms} ms. Do less in it, or give it more time with timeoutSeconds.`;
    end(new WebhookError("TooSlow", message));
  });
  hungUp.addEventListener("abort", onHungUp, { once: true });
  try {
    return await Promise.race([work(stop.signal), late.promise]);
  } finally {
    timer.cancel();
    hungUp.removeEventListener("abort", onHungUp);
  }
}

/** Maps the body of a request to that of the response. */
type Route = (body: string, signal: AbortSignal) => Promise<string>;

function routesOf({ resources, log, meter, paths }: HandlerOptions): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const resource of resources) {
    if (resource.hooks.default) routes.set(hookPath("mutate", resource, paths), admitting(defaulting(resource)));
    if (resource.hooks.validate) routes.set(hookPath("validate", resource, paths), admitting(validating(resource)));
  }
  const convert = converting(resources.filter(isConverted), (error) => {
    meter.panicked("conversion");
    log.error(`a conversion threw: ${messageOf(error)}`, { error });
  });
  routes.set(CONVERT_PATH, async (body) => {
    const request = readConversionReview(body);
    return writeConversionReview(request.uid, convert(request));
  });
  return routes;
}

function admitting(admit: Admit): Route {
  return async (body, signal) => {
    const request = readAdmissionReview(body);
    return writeAdmissionReview(request.uid, await admit(request, signal));
  };
}

async function answer(route: Route, request: Request, signal: AbortSignal): Promise<Response> {
  if (request.method !== "POST") return text(405, "Webhooks are called with POST.");
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim();
  if (type !== "application/json") return text(415, "Send a review as application/json.");
  const body = await route(await request.text(), signal);
  return new Response(body, { status: 200, headers: { "content-type": "application/json" } });
}

const statuses: { readonly [code in WebhookErrorCode]: number } = {
  Malformed: 400,
  Misdirected: 400,
  TooLarge: 413,
  TooBusy: 503,
  TooSlow: 504,
  HookFailed: 500,
};

function refuse(error: unknown, about: { log: Log; meter: WebhookMeter; pathname: string }): Response {
  const { log, meter, pathname } = about;
  const status = error instanceof WebhookError ? statuses[error.code] : 500;
  if (status === 500) meter.panicked("admission");
  log[status === 500 ? "error" : "warn"](`a call of ${pathname} failed: ${messageOf(error)}`, {
    error: originOf(error),
  });
  return text(status, messageOf(error));
}

/** The error of the user's function, whose stack has the user's line. */
function originOf(error: unknown): unknown {
  return error instanceof WebhookError && error.cause !== undefined ? error.cause : error;
}

function text(status: number, body: string): Response {
  return new Response(`${body}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}
