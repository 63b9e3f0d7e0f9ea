/** /metrics: the numbers of requests and stored objects as Prometheus metrics. */
import type { Answer } from "../answer.ts";
import type { ServerParts } from "../parts.ts";

/** Counts requests. */
export class RequestMetrics {
  readonly #totals = new Map<string, number>();

  count(labels: { verb: string; group: string; version: string; resource: string; code: number }): void {
    const { verb, group, version, resource, code } = labels;
    const key = `code="${code}",group="${group}",resource="${resource}",verb="${verb.toUpperCase()}",version="${version}"`;
    this.#totals.set(key, (this.#totals.get(key) ?? 0) + 1);
  }

  lines(): string[] {
    return [...this.#totals].map(([labels, total]) => `apiserver_request_total{${labels}} ${total}`);
  }
}

/** Serves /metrics. */
export function serveMetrics(parts: ServerParts): Answer {
  const lines = [
    "# HELP apiserver_request_total [STABLE] Counter of apiserver requests broken out for each verb, group, version, resource and HTTP response code.",
    "# TYPE apiserver_request_total counter",
    ...parts.metrics.lines(),
    "# HELP apiserver_resource_objects [ALPHA] Number of stored objects at the time of last check split by kind.",
    "# TYPE apiserver_resource_objects gauge",
    ...objectCounts(parts),
    ...turnLines(parts),
    ...flowLines(parts),
  ];
  return toMetrics(lines);
}

/** Lines as a Prometheus response. */
export function toMetrics(lines: readonly string[]): Answer {
  const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8; escaping=underscores" };
  return { status: 200, headers, body: `${lines.join("\n")}\n` };
}

function turnLines({ turns }: ServerParts): string[] {
  return [
    "# HELP capstan_apiserver_long_turns_total Turns of the event loop over 250 ms, during which no other request is served.",
    "# TYPE capstan_apiserver_long_turns_total counter",
    `capstan_apiserver_long_turns_total ${turns.count}`,
    "# HELP capstan_apiserver_longest_turn_seconds The longest turn of the event loop.",
    "# TYPE capstan_apiserver_longest_turn_seconds gauge",
    `capstan_apiserver_longest_turn_seconds ${turns.longest / 1000}`,
  ];
}

/** The names of kube-apiserver, without the label of the flow schema, which here has no seats of its own. */
function flowLines({ gate }: ServerParts): string[] {
  const numbers = gate.seats.numbers();
  return [
    "# HELP apiserver_flowcontrol_current_executing_requests [BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem",
    "# TYPE apiserver_flowcontrol_current_executing_requests gauge",
    ...numbers.map(
      ({ level, seated }) =>
        `apiserver_flowcontrol_current_executing_requests{priority_level=${JSON.stringify(level)}} ${seated}`,
    ),
    "# HELP apiserver_flowcontrol_current_inqueue_requests [BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem",
    "# TYPE apiserver_flowcontrol_current_inqueue_requests gauge",
    ...numbers.map(
      ({ level, waiting }) =>
        `apiserver_flowcontrol_current_inqueue_requests{priority_level=${JSON.stringify(level)}} ${waiting}`,
    ),
  ];
}

function objectCounts({ store, registry }: ServerParts): string[] {
  const seen = new Map<string, string>();
  for (const { storage, group, resource } of registry.all()) {
    if (seen.has(storage)) continue;
    seen.set(
      storage,
      `apiserver_resource_objects{group="${group}",resource="${resource}"} ${store.collection(storage).size}`,
    );
  }
  return [...seen.values()];
}
