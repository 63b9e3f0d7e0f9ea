/** An operator with webhooks and conversions, for the test that runs it in a pod. */
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller, operator } from "../../src/index.ts";

const Volume = defineResource({
  group: "pods.example.com",
  kind: "Volume",
  versions: {
    v1: { spec: s.object({ gigabytes: s.int32().default(1), profile: s.string().optional() }) },
    v2: { spec: s.object({ size: s.string(), profile: s.string().optional() }), storage: true },
  },
  convert: {
    "v1->v2": ({ gigabytes, ...rest }) => ({ ...rest, size: `${gigabytes}Gi` }),
    "v2->v1": ({ size, ...rest }) => ({ ...rest, gigabytes: Number.parseInt(size, 10) }),
  },
  conditions: { Ready: "its ConfigMap is there" },
  default: (draft) => {
    draft.spec.profile ??= "small";
  },
  validate: ({ object, reject }) => {
    if (object.spec.profile === "huge") reject("spec.profile", "there is no such profile");
  },
});

const volume = controller(Volume, { owns: [ConfigMap] }, async ({ object, apply, status }) => {
  await apply(ConfigMap, object.metadata.name, { data: { size: object.spec.size } });
  status.condition("Ready", true);
});

await operator({ controllers: [volume], name: "volumes" }).run();
