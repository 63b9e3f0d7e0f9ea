/** The controller of the benchmark, written with Capstan: a Widget applies one ConfigMap and sets its status. */
import { controller, defineResource, operator, s } from "capstan";
import { ConfigMap } from "capstan/kinds/v1";

export const Widget = defineResource({
  group: "bench.example.com",
  version: "v1",
  kind: "Widget",
  spec: s.object({ size: s.int32() }),
  status: s.object({ size: s.int32().optional() }),
});

export const widget = controller(Widget, { owns: [ConfigMap], concurrency: 16 }, async ({ object, apply, status }) => {
  await apply(ConfigMap, object.metadata.name, { data: { size: String(object.spec.size) } });
  status.size = object.spec.size;
});

if (import.meta.main) await operator({ name: "test", controllers: [widget] }).run();
