/** An operator whose program leaves a timer and unhandled promises, for the tests of its end. */
import { defineResource, s } from "@capstan/schema";
import { controller, operator } from "../../src/index.ts";

const Widget = defineResource({
  group: "careless.example.com",
  version: "v1",
  kind: "Widget",
  spec: s.object({ size: s.int32().default(1) }),
  status: s.object({ reconciles: s.int32().default(0) }),
});

const widget = controller(Widget, {}, ({ object, status }) => {
  // oxlint-disable-next-line no-floating-promises -- this is what the test is about
  Promise.reject(new Error("forgotten"));
  status.reconciles = object.spec.size;
});

setInterval(() => undefined, 1_000);

await operator({ controllers: [widget], name: "careless" }).run();
