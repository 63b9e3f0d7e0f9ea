/** The smallest operator: a Greeting becomes a ConfigMap. */
import { controller, defineResource, operator, s } from "capstan";
import { ConfigMap } from "capstan/kinds/v1";

export const Greeting = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Greeting",
  spec: s.object({ to: s.string() }),
});

export const greeting = controller(Greeting, { owns: [ConfigMap] }, async ({ object, apply }) => {
  await apply(ConfigMap, object.metadata.name, { data: { text: `Hello, ${object.spec.to}` } });
});

export const app = operator({ name: "greeting", controllers: [greeting] });

await app.runIfMain(import.meta);
