import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../define.ts";
import { operator } from "../operator.ts";

const Widget = defineResource({ group: "example.com", version: "v1", kind: "Widget", spec: s.object({}) });
const widget = controller(Widget, {}, () => undefined);

for (const [what, define, message] of [
  ["lists a controller twice", () => operator({ controllers: [widget, widget] }), /"widget" of Widget twice: list it/u],
  [
    "has two controllers of one name",
    () => operator({ controllers: [widget, controller(Widget, {}, () => undefined)] }),
    /two controllers named "widget": give one of them another `name`/u,
  ],
  [
    "has a controller that was called as another one is",
    () =>
      operator({
        controllers: [widget, controller(Widget, { name: "other", formerNames: ["widget"] }, () => undefined)],
      }),
    /"other" that was called "widget" before: there is a controller of that name/u,
  ],
  ["has a version that is none", () => operator({ controllers: [], version: "latest" }), /write one such as 1\.2\.3/u],
] as const) {
  test(`an operator that ${what} is refused where it is defined`, () => {
    assert.throws(define, (error: Error & { readonly code?: string }) => {
      assert.equal(error.code, "BadSetting");
      assert.match(error.message, message);
      assert.match(error.stack?.split("\n")[1] ?? "", /definition\.test\.ts/u);
      return true;
    });
  });
}
