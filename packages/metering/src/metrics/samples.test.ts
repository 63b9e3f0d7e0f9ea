/** Tests of measurements: windows become levels, and what a former window covers is cut off. */
import assert from "node:assert/strict";
import test from "node:test";
import { nodeLevels, podLevels, WindowEnds, windowOf } from "./samples.ts";

test("windows are read as Go prints durations", () => {
  const read = ["15s", "15.026s", "1m0.5s", "1h", "250ms", "", "soon"].map(windowOf);
  assert.deepEqual(read, [15_000, 15_026, 60_500, 3_600_000, 250, undefined, undefined]);
});

test("a container is a level over its window, by uid and container", () => {
  const pod = {
    metadata: { name: "web", namespace: "a" },
    timestamp: "2026-03-01T00:01:00Z",
    window: "30s",
    containers: [{ name: "app", usage: { cpu: "125000001n", memory: "2Mi" } }],
  };
  const end = Date.parse("2026-03-01T00:01:00Z");
  const common = {
    start: end - 30_000,
    end,
    namespace: "a",
    dimensions: { pod: "web", container: "app", node: "n1" },
  };
  assert.deepEqual(podLevels(pod, { uid: "u", node: "n1" }), [
    { meter: "pod.cpu.usage", series: "pod.cpu.usage/u/app", amount: "125000001n", ...common },
    { meter: "pod.memory.usage", series: "pod.memory.usage/u/app", amount: "2Mi", ...common },
  ]);
});

test("a measurement without a window or a time counts nothing", () => {
  assert.deepEqual(nodeLevels({ metadata: { name: "n" }, usage: { cpu: "1" } }, { uid: "u", node: "" }), []);
});

test("the front of a window that a former one covers is cut off", () => {
  const ends = new WindowEnds();
  const window = { series: "s", start: 100, end: 200 };
  assert.equal(ends.cut(window), 100);
  ends.note("s", 160);
  assert.equal(ends.cut(window), 160);
  ends.note("s", 200);
  assert.equal(ends.cut(window), undefined);
  assert.equal(ends.cut({ ...window, series: "t" }), 100);
});
