/** A Banner shows a text from a ConfigMap that it does not own: when that changes, the banner follows. */
import { controller, defineResource, operator, s } from "capstan";
import { ConfigMap } from "capstan/kinds/v1";

export const Banner = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Banner",
  spec: s.object({ source: s.string().describe("The ConfigMap that holds the text") }),
  status: s.object({ text: s.string() }),
  conditions: { Found: "The source is there" },
});

export const banner = controller(Banner, { reads: [ConfigMap] }, ({ object, get, status }) => {
  // No mapping, no index: a change of any object that the reconcile read, even one that did not exist, reconciles this banner again.
  const source = get(ConfigMap, object.spec.source);
  status.text = source?.data?.["text"] ?? "";
  status.condition("Found", source !== undefined);
});

export const app = operator({ name: "banner", controllers: [banner] });

await app.runIfMain(import.meta);
