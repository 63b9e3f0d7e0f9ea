/** Counts requests under client-go's name, so that dashboards for Go operators show ours too. */
import { ApiError } from "@capstan/client";
import type { Api } from "../api.ts";
import type { Registry } from "./registry.ts";

/** An API whose requests are counted, to a host where one is known. */
export function meteredApi(api: Api, registry: Registry, host = ""): Api {
  const labels = ["code", "method", "host"];
  const help = "Number of HTTP requests, partitioned by status code, method, and host.";
  const requests = registry.counter({ name: "rest_client_requests_total", help, labels });
  const series = new Map<string, { code: string; method: string; host: string }>();
  const count = (method: string, code: string): void => {
    const id = `${method} ${code}`;
    const known = series.get(id) ?? { code, method, host };
    series.set(id, known);
    requests.add(known);
  };
  async function counted<T>(method: string, call: Promise<T>): Promise<T> {
    try {
      const answer = await call;
      count(method, "200");
      return answer;
    } catch (error) {
      count(method, error instanceof ApiError && error.status > 0 ? String(error.status) : "<error>");
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
