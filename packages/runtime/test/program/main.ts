/** A whole operator as a user would write it, for the test that runs it as a program. */
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller, operator } from "../../src/index.ts";
import type { Operator } from "../../src/index.ts";

const Widget = defineResource({
  group: "program.example.com",
  version: "v1",
  kind: "Widget",
  spec: s.object({ size: s.int32().default(1) }),
  conditions: { Ready: "its ConfigMap is there" },
});

const widget = controller(Widget, { owns: [ConfigMap] }, async ({ object, apply, status }) => {
  await apply(ConfigMap, object.metadata.name, { data: { size: String(object.spec.size) } });
  status.condition("Ready", true);
});

export const app: Operator = operator({ controllers: [widget], name: "program" });

await app.runIfMain(import.meta);
