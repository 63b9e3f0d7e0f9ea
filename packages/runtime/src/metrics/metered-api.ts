/** Counts requests under client-go's name, so that dashboards for Go operators show ours too. */
import { ApiError } from "@capstan/client";
import type { ClientOptions } from "@capstan/client";
import type { Api } from "../api.ts";
import type { Registry } from "./registry.ts";

/** Counts the requests of a client to a host: each retry, with its status code, as client-go does. */
export function requestCounter(registry: Registry, host: string): NonNullable<ClientOptions["onSent"]> {
  const count = counterIn(registry, host);
  return ({ method, status }) => count(method, status === undefined ? NO_ANSWER : String(status));
}

/** An API with counted calls, for one that does not expose its requests. */
export function meteredApi(api: Api, registry: Registry): Api {
  const count = counterIn(registry, "");
  async function counted<T>(method: string, call: Promise<T>): Promise<T> {
    try {
      const answer = await call;
      count(method, "200");
      return answer;
    } catch (error) {
      count(method, error instanceof ApiError && error.status > 0 ? String(error.status) : NO_ANSWER);
      throw error;
    }
  }
  return {
    get: (kind, key, signal) => counted("GET", api.get(kind, key, signal)),
    list: (kind, request) => counted("GET", api.list(kind, request)),
    watch: (kind, request) => {
      count("GET", "200");
      return api.watch(kind, request);
    },
    create: (kind, object, options) => counted("POST", api.create(kind, object, options)),
    apply: (kind, object, options) => counted("PATCH", api.apply(kind, object, options)),
    patch: (kind, key, body, options) => counted("PATCH", api.patch(kind, key, body, options)),
    delete: (kind, key, options) => counted("DELETE", api.delete(kind, key, options)),
  };
}

/** client-go's label value for a request without a status code. */
const NO_ANSWER = "<error>";

function counterIn(registry: Registry, host: string): (method: string, code: string) => void {
  const labels = ["code", "method", "host"];
  const help = "Number of HTTP requests, partitioned by status code, method, and host.";
  const requests = registry.counter({ name: "rest_client_requests_total", help, labels });
  const series = new Map<string, { code: string; method: string; host: string }>();
  return (method, code) => {
    const id = `${method} ${code}`;
    const known = series.get(id) ?? { code, method, host };
    series.set(id, known);
    requests.add(known);
  };
}
