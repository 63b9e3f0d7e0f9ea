/** A Timer that was first written in seconds and now as a duration: both versions are served, one is stored. */
import { controller, defineResource, operator, s } from "capstan";
import { ConfigMap } from "capstan/kinds/v1";

export const Timer = defineResource({
  group: "example.com",
  kind: "Timer",
  versions: {
    v1: { spec: s.object({ seconds: s.int32().min(0) }), deprecated: "example.com/v1 Timer: write v2 with a duration" },
    v2: { spec: s.object({ duration: s.string().pattern("^[0-9]+s$") }), storage: true },
  },
  // A missing direction does not compile. The runtime serves the conversions as a webhook, with its own certificate.
  convert: {
    "v1->v2": ({ seconds }) => ({ duration: `${seconds}s` }),
    "v2->v1": ({ duration }) => ({ seconds: Number.parseInt(duration, 10) }),
  },
});

// Controllers see the stored version, whichever was written.
export const timer = controller(Timer, { owns: [ConfigMap] }, async ({ object, apply }) => {
  await apply(ConfigMap, object.metadata.name, { data: { duration: object.spec.duration } });
});

export const app = operator({ name: "timer", controllers: [timer] });

await app.runIfMain(import.meta);
