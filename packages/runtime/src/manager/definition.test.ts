import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../define.ts";
import { operator } from "../operator.ts";
import type { OperatorDefinition } from "./operator.ts";

const Widget = defineResource({ group: "example.com", version: "v1", kind: "Widget", spec: s.object({}) });
const Lamp = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Lamp",
  spec: s.object({}),
  status: s.object({ condition: s.string().default("") }),
});
const widget = controller(Widget, {}, () => undefined);

for (const [what, define, message] of [
  [
    "lists a controller twice",
    () => operator({ name: "capstan", controllers: [widget, widget] }),
    /"widget" of Widget twice: list it/u,
  ],
  [
    "has two controllers of one name",
    () => operator({ name: "capstan", controllers: [widget, controller(Widget, {}, () => undefined)] }),
    /two controllers named "widget": give one of them another `name`/u,
  ],
  [
    "has a controller that was called as another one is",
    () =>
      operator({
        name: "capstan",
        controllers: [widget, controller(Widget, { name: "other", previousNames: ["widget"] }, () => undefined)],
      }),
    /"other" that was called "widget" before: there is a controller of that name/u,
  ],
  [
    "has a mount without its volume",
    () =>
      operator({ name: "capstan", controllers: [widget], pod: { volumeMounts: [{ name: "ca", mountPath: "/ca" }] } }),
    /\/ca mounts the volume "ca", which `volumes` does not have/u,
  ],
  [
    "sets a variable of a setting for its pods",
    () =>
      operator({
        name: "capstan",
        controllers: [widget],
        settings: s.object({ zone: s.string() }),
        pod: { env: [{ name: "CAPSTAN_ZONE", value: "a" }] },
      }),
    /`env` has CAPSTAN_ZONE, which the manifests set themselves/u,
  ],
  [
    "sets a variable of its pods twice",
    () =>
      operator({ name: "capstan", controllers: [widget], pod: { env: [{ name: "A", value: "1" }, { name: "A" }] } }),
    /`env` has A twice/u,
  ],
  [
    "has half a replica",
    () => operator({ name: "capstan", controllers: [widget], pod: { replicas: 0.5 } }),
    /`replicas` is 0\.5: write a whole number/u,
  ],
  [
    "caches a kind that nobody has",
    () => operator({ name: "capstan", controllers: [controller(Widget, { cache: { Wiget: {} } }, () => undefined)] }),
    /^Cannot use "Wiget" in the `cache` of controller "widget": no controller has such a kind; there are Widget\. Correct/u,
  ],
  [
    "caches a namespace without a name",
    () =>
      operator({
        name: "capstan",
        controllers: [controller(Widget, { cache: { Widget: { namespaces: { "": {} } } } }, () => undefined)],
      }),
    /^Cannot use "" as a namespace of Widget in the `cache` of controller "widget": leave `namespaces` out/u,
  ],
  [
    "has a status field that drafts cannot show",
    () => controller(Lamp, {}, () => undefined),
    /^Cannot control Lamp: its status has a field `condition`, and in a reconcile `status\.condition\(\.\.\.\)` is what sets/u,
  ],
  [
    "was called so that two of its controllers have one name in the cluster",
    () =>
      operator({
        name: "a",
        previous: { names: ["a-b"] },
        controllers: [
          controller(Widget, { name: "c" }, () => undefined),
          controller(Widget, { name: "b-c" }, () => undefined),
        ],
      }),
    /^Cannot tell the controller "b-c" of "a" from "c" of "a-b": both are "a-b-c" in the cluster\. Give one of them/u,
  ],
  [
    "has no name",
    () => operator({ controllers: [] } as unknown as OperatorDefinition),
    /^Cannot define an operator without a name: .* Its lease, field managers, finalizers and labels are named after it/u,
  ],
  ["has an empty name", () => operator({ name: "", controllers: [] }), /^Cannot define an operator without a name/u],
  [
    "has a version that is none",
    () => operator({ name: "capstan", controllers: [], version: "latest" }),
    /write one such as 1\.2\.3/u,
  ],
] as const) {
  test(`an operator that ${what} is rejected when it is defined`, () => {
    assert.throws(define, (error: Error & { readonly code?: string }) => {
      assert.equal(error.code, "BadSetting");
      assert.match(error.message, message);
      assert.match(error.stack?.split("\n")[1] ?? "", /definition\.test\.ts/u);
      return true;
    });
  });
}

test("cache settings may be for kinds of other controllers or of later watches", () => {
  const cache = { Widget: {}, "widgets.v1.example.com": {}, "pods.v1.": {}, "deployments.v1.apps": {} };
  operator({ name: "capstan", controllers: [widget, controller(Widget, { name: "other", cache }, () => undefined)] });
});
