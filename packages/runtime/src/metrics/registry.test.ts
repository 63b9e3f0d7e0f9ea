import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ModelApi } from "../../test/model-api.ts";
import { clusterGuard } from "../program/guard.ts";
import { VirtualClock } from "../testing/clock.ts";
import { Registry } from "./registry.ts";

describe("metrics", () => {
  test("are written in the Prometheus format", () => {
    const registry = new Registry();
    const labels = { kind: 'a"b\\c\nd' };
    registry.counter({ name: "c_total", help: "Counts.", labels: ["kind"] }).add(labels, 2);
    registry.gauge({ name: "g", help: "Now.", labels: [] }).set({}, 1.5);
    const histogram = registry.histogram({ name: "h", help: "Spread.", labels: [] }, [1, 2]);
    for (const value of [0.5, 1, 1.5, 9]) histogram.observe({}, value);
    assert.equal(
      registry.text(),
      [
        "# HELP c_total Counts.",
        "# TYPE c_total counter",
        'c_total{kind="a\\"b\\\\c\\nd"} 2',
        "# HELP g Now.",
        "# TYPE g gauge",
        "g 1.5",
        "# HELP h Spread.",
        "# TYPE h histogram",
        'h_bucket{le="1"} 2',
        'h_bucket{le="2"} 3',
        'h_bucket{le="+Inf"} 4',
        "h_sum 12",
        "h_count 4",
        "",
      ].join("\n"),
    );
  });

  test("are served to authorized requests", async () => {
    const api = new ModelApi();
    const asked: string[] = [];
    api.create = (kind, object) => {
      asked.push(kind.kind);
      const { spec } = object as unknown as {
        spec: { token?: string; user?: string; nonResourceAttributes?: { path: string } };
      };
      const status =
        kind.kind === "TokenReview"
          ? { authenticated: spec.token !== "bad", user: { username: spec.token } }
          : { allowed: spec.user === "good" && spec.nonResourceAttributes?.path === "/metrics" };
      return Promise.resolve({ ...object, status } as never);
    };
    const guard = clusterGuard(api, new VirtualClock());
    const ask = (authorization?: string, path = "/metrics") =>
      guard({ method: "GET", path, isLocal: false, authorization });
    assert.equal(await ask(), "unknown");
    assert.equal(await ask("Bearer bad"), "unknown");
    assert.equal(await ask("Bearer other"), "forbidden");
    assert.equal(await ask("Bearer good"), "allowed");
    const before = asked.length;
    assert.equal(await ask("Bearer good"), "allowed");
    assert.equal(await ask("Bearer good", "/metrics?name%5B%5D=up"), "allowed", "a query is no part of the path");
    assert.equal(asked.length, before, "an answer holds for a while");
  });
});
