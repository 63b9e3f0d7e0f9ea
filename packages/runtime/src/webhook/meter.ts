/** Webhook metrics, under controller-runtime's exact names. */
import type { Labels, Registry } from "../metrics/registry.ts";

/** Ten nanoseconds and its powers of ten, the buckets of controller-runtime. */
const BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** The webhook metrics. */
export interface WebhookMeter {
  /** A call has begun; the returned function is called with its result. */
  began(path: string): (code: number, seconds: number) => void;
  /** A user's function threw. */
  panicked(what: "admission" | "conversion"): void;
  /** The expiry of the serving certificate, in milliseconds since 1970. */
  certificateEnds(at: number): void;
}

/** Creates the metrics, with all known series at zero. */
export function webhookMeter(registry: Registry, paths: readonly string[]): WebhookMeter {
  const latency = registry.histogram(
    {
      name: "controller_runtime_webhook_latency_seconds",
      help: "Histogram of the latency of processing admission requests",
      labels: ["webhook"],
    },
    BUCKETS,
  );
  const total = registry.counter({
    name: "controller_runtime_webhook_requests_total",
    help: "Total number of admission requests by HTTP status code.",
    labels: ["webhook", "code"],
  });
  const inFlight = registry.gauge({
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Current number of admission requests being served.",
    labels: ["webhook"],
  });
  const panics = registry.counter({
    name: "controller_runtime_webhook_panics_total",
    help: "Total number of webhook panics",
    labels: [],
  });
  const conversionPanics = registry.counter({
    name: "controller_runtime_conversion_webhook_panics_total",
    help: "Total number of conversion webhook panics",
    labels: [],
  });
  const ends = registry.gauge({
    name: "capstan_webhook_certificate_expiry_timestamp_seconds",
    help: "Until when the serving certificate of the webhooks is valid",
    labels: [],
  });
  const none: Labels = {};
  const running = new Map(paths.map((webhook) => [webhook, 0]));
  panics.add(none, 0);
  conversionPanics.add(none, 0);
  for (const webhook of paths) {
    inFlight.set({ webhook }, 0);
    for (const code of ["200", "500"]) total.add({ webhook, code }, 0);
  }
  const change = (webhook: string, by: number): void => {
    const count = (running.get(webhook) ?? 0) + by;
    running.set(webhook, count);
    inFlight.set({ webhook }, count);
  };
  return {
    began: (webhook) => {
      change(webhook, 1);
      return (code, seconds) => {
        change(webhook, -1);
        total.add({ webhook, code: String(code) });
        latency.observe({ webhook }, seconds);
      };
    },
    panicked: (what) => (what === "admission" ? panics : conversionPanics).add(none),
    certificateEnds: (at) => ends.set(none, at / 1000),
  };
}
